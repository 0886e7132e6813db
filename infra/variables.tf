variable "region" {
  description = "AWS Region of the table. Jobs should run in the same one."
  type        = string
  default     = "eu-west-2"
  nullable    = false

  validation {
    condition     = can(regex("^[a-z]{2}(-[a-z]+)+-[0-9]+$", var.region))
    error_message = "region is an AWS Region such as eu-west-2."
  }
}

variable "table_name" {
  description = "Name of the table, as job scripts pass it to Watermarks(table_name=...)."
  type        = string
  default     = "glue-watermarks"
  nullable    = false
}

variable "tags" {
  description = "Tags of everything that is created."
  type        = map(string)
  default     = {}
  nullable    = false
}

variable "job_names" {
  description = "Names of the Glue jobs that the job policies let in. Empty: no job policy."
  type        = set(string)
  default     = []
  nullable    = false
}

variable "publish_metrics" {
  description = "Whether the job policies allow to publish the package's metrics in CloudWatch."
  type        = bool
  default     = true
  nullable    = false
}

variable "create_policies" {
  description = "Whether to create managed IAM policies as well. Their JSON is an output either way."
  type        = bool
  default     = false
  nullable    = false
}

variable "kms_key_arn" {
  description = "ARN of your own KMS key to encrypt the table with. Null: the key that AWS manages for DynamoDB."
  type        = string
  default     = null
}

variable "point_in_time_recovery" {
  description = "Whether the table can be restored to any second of the last 35 days."
  type        = bool
  default     = true
  nullable    = false
}

variable "deletion_protection" {
  description = "Whether DynamoDB refuses to delete the table. Set it to false and apply before a destroy."
  type        = bool
  default     = true
  nullable    = false
}
