variable "name" {
  description = "Name of the table."
  type        = string
  default     = "glue-watermarks"
  nullable    = false

  validation {
    condition     = can(regex("^[a-zA-Z0-9_.-]{3,255}$", var.name))
    error_message = "A table's name has 3 to 255 letters, digits, underscores, dots and hyphens."
  }
}

variable "kms_key_arn" {
  description = "ARN of your own KMS key to encrypt the table with. Null: the key that AWS manages for DynamoDB."
  type        = string
  default     = null

  # IAM knows keys by their ARN only: an alias would be encrypted with, and then opened by nobody.
  validation {
    condition = var.kms_key_arn == null || can(
      regex("^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/[a-zA-Z0-9-]+$", var.kms_key_arn)
    )
    error_message = "kms_key_arn is the ARN of a key (arn:aws:kms:REGION:ACCOUNT:key/ID), not its id and not an alias."
  }
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

variable "job_names" {
  description = "Names of the Glue jobs that the job policies let in, in full. Empty: no job policy."
  type        = set(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for name in var.job_names : can(regex("^[^[:cntrl:]]{1,255}$", name))])
    error_message = "A job's name has 1 to 255 characters on one line."
  }

  validation {
    condition     = alltrue([for name in var.job_names : !can(regex("[*?]", name))])
    error_message = "job_names are names, not patterns: name every job in full, without * and ?."
  }

  # IAM would replace ${aws:username} in a policy, and aws_iam_policy_document turns &{...} into that.
  validation {
    condition     = alltrue([for name in var.job_names : !can(regex("[$&]\\{", name))])
    error_message = "job_names must not contain a { right after $ or &: IAM would read a policy variable."
  }
}

variable "publish_metrics" {
  description = "Whether the job policies allow to publish the package's metrics in CloudWatch. Without it, say metrics=False in the jobs, or each run logs a refusal."
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

variable "policy_name_prefix" {
  description = "What the managed policies' names start with; -job, -reader or -operator follows. Null: the table's name."
  type        = string
  default     = null

  validation {
    condition     = var.policy_name_prefix == null || can(regex("^[a-zA-Z0-9+=,.@_-]{1,119}$", var.policy_name_prefix))
    error_message = "policy_name_prefix has 1 to 119 letters, digits and any of +=,.@_-"
  }
}

variable "tags" {
  description = "Tags of everything that is created."
  type        = map(string)
  default     = {}
  nullable    = false

  validation {
    condition = alltrue([
      for key, value in var.tags :
      length(key) >= 1 && length(key) <= 128 && length(value) <= 256 && !startswith(lower(key), "aws:")
    ])
    error_message = "A tag's key has 1 to 128 characters and does not start with aws:, its value at most 256."
  }
}
