variable "name" {
  description = "Name of the dashboard and of the topic, and what the names of alarms start with."
  type        = string
  default     = "glue-watermarks"
  nullable    = false

  validation {
    condition     = can(regex("^[a-zA-Z0-9_-]{1,48}$", var.name))
    error_message = "name has 1 to 48 letters, digits, underscores and hyphens."
  }
}

variable "jobs" {
  description = "The jobs to watch, by name: their sources (transformation_ctx), how old each mark may be, and how often a run should end."
  type = map(object({
    sources = optional(map(object({
      max_mark_age_hours = optional(number)
    })), {})
    expected_every_hours = optional(number)
  }))
  nullable = false

  validation {
    condition     = length(var.jobs) > 0
    error_message = "jobs must name at least one job."
  }

  # CloudWatch takes ASCII only, and an alarm's name has the names of job and source in it.
  validation {
    condition     = alltrue([for job in keys(var.jobs) : can(regex("^[!-.0-~]([ -.0-~]{0,98}[!-.0-~])?$", job))])
    error_message = "A job's name has 1 to 100 ASCII characters here, without a slash: it is a dimension of its metrics."
  }

  validation {
    condition = alltrue(flatten([
      for settings in values(var.jobs) : [
        for source in keys(settings.sources) : can(regex("^[!-9;-~]([ -~]{0,98}[!-~])?$", source))
      ]
    ]))
    error_message = "A source's name has 1 to 100 ASCII characters here and does not start with a colon: it is a dimension of its metrics."
  }

  validation {
    condition = alltrue(flatten([
      for settings in values(var.jobs) : [
        for limits in values(settings.sources) : limits.max_mark_age_hours == null ? true : limits.max_mark_age_hours > 0
      ]
    ]))
    error_message = "max_mark_age_hours is more than 0; half an hour is 0.5."
  }

  validation {
    condition = alltrue([
      for hours in [for settings in values(var.jobs) : settings.expected_every_hours if settings.expected_every_hours != null] :
      hours >= 1 && hours <= 168 && floor(hours) == hours
    ])
    error_message = "expected_every_hours is a whole number from 1 to 168: an alarm of CloudWatch looks back seven days at most."
  }

  validation {
    condition     = length(flatten([for settings in values(var.jobs) : keys(settings.sources)])) <= 500 && length(var.jobs) <= 500
    error_message = "A graph of CloudWatch has at most 500 lines: watch more jobs or sources than that with a second monitoring module."
  }
}

variable "sns_topic" {
  description = "The topic that alarms go to, as { arn = ... }, which must let CloudWatch and EventBridge publish. Null: one is created."
  # An object, so that whether there is one is known before its ARN is.
  type = object({
    arn = string
  })
  default = null

  validation {
    condition     = var.sns_topic == null || can(regex("^arn:aws[a-z-]*:sns:[a-z0-9-]+:[0-9]{12}:[a-zA-Z0-9_-]+$", var.sns_topic.arn))
    error_message = "sns_topic is { arn = \"arn:aws:sns:REGION:ACCOUNT:NAME\" }, of a standard topic: alarms do not go to .fifo ones."
  }
}

variable "emails" {
  description = "Addresses that hear of alarms by email; each has to confirm once."
  type        = set(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for email in var.emails : can(regex("^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$", email))])
    error_message = "emails are addresses such as data-platform@example.org."
  }
}

variable "glue_states" {
  description = "States of Glue's own (FAILED, TIMEOUT, STOPPED, SUCCEEDED) that are told to the topic, run by run; empty: none."
  type        = set(string)
  default     = ["FAILED", "TIMEOUT"]
  nullable    = false

  validation {
    condition     = alltrue([for state in var.glue_states : contains(["FAILED", "TIMEOUT", "STOPPED", "SUCCEEDED"], state)])
    error_message = "glue_states are any of FAILED, TIMEOUT, STOPPED and SUCCEEDED."
  }
}

variable "kms_key_arn" {
  description = "ARN of your own KMS key to encrypt the topic with, if it is created here. Null: not encrypted at rest by a key of KMS."
  type        = string
  default     = null

  validation {
    condition = var.kms_key_arn == null || can(
      regex("^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/[a-zA-Z0-9-]+$", var.kms_key_arn)
    )
    error_message = "kms_key_arn is the ARN of a key (arn:aws:kms:REGION:ACCOUNT:key/ID), not its id and not an alias."
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
