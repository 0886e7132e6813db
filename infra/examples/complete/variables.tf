variable "region" {
  description = "AWS Region of everything."
  type        = string
  default     = "eu-west-2"
  nullable    = false

  validation {
    condition     = can(regex("^[a-z]{2}(-[a-z]+)+-[0-9]+$", var.region))
    error_message = "region is an AWS Region such as eu-west-2."
  }
}

variable "bucket_name" {
  description = "Name of the bucket. Null: glue-watermarks- and what AWS adds to make it unique."
  type        = string
  default     = null
}

variable "keep_old_versions_days" {
  description = "For how many days an overwritten or deleted object can be had back; 0: for ever."
  type        = number
  default     = 30
  nullable    = false
}

variable "plain_http" {
  description = "Whether the bucket may be reached without TLS. For emulators, which have none."
  type        = bool
  default     = false
  nullable    = false
}

variable "wheel_path" {
  description = "Path of the package's wheel. Null: the one that `make build` left in dist/."
  type        = string
  default     = null
}

variable "schedule" {
  description = "When the first job starts, in UTC; the second follows it."
  type        = string
  default     = "cron(30 2 * * ? *)"
  nullable    = false
}

variable "triggers_enabled" {
  description = "Whether the schedule is in force. False: jobs start by hand only."
  type        = bool
  default     = true
  nullable    = false
}

variable "emails" {
  description = "Addresses that hear of alarms; each has to confirm once."
  type        = set(string)
  default     = []
  nullable    = false
}

variable "deletion_protection" {
  description = "Whether DynamoDB refuses to delete the watermarks table. Set it to false and apply before a destroy."
  type        = bool
  default     = true
  nullable    = false
}

variable "tags" {
  description = "Tags of everything that is created."
  type        = map(string)
  default     = {}
  nullable    = false
}
