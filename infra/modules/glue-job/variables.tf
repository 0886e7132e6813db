variable "name" {
  description = "Name of the job, and of its watermarks. The role has it too unless role_name says otherwise."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-zA-Z0-9_.-]{1,64}$", var.name))
    error_message = "A job's name has 1 to 64 letters, digits, underscores, dots and hyphens here: role and log groups have it too."
  }
}

variable "description" {
  description = "What the job is for."
  type        = string
  default     = null
}

variable "script_path" {
  description = "Path of the job's script on this machine; it is uploaded."
  type        = string
  nullable    = false

  validation {
    condition     = endswith(var.script_path, ".py") && fileexists(var.script_path)
    error_message = "script_path is the path of an existing .py file."
  }
}

variable "wheel_paths" {
  description = "Paths of the wheels on this machine that the job installs, the package's own among them; they are uploaded."
  type        = list(string)
  nullable    = false

  validation {
    condition     = length([for path in var.wheel_paths : path if startswith(basename(path), "glue_watermarks-")]) == 1
    error_message = "wheel_paths must name one glue_watermarks-*.whl: `make build` leaves it in dist/."
  }

  # pip reads name, version, Python, ABI and platform from the file's name, and refuses a wheel that was renamed.
  validation {
    condition = alltrue([
      for path in var.wheel_paths :
      can(regex("^[A-Za-z0-9_.]+-[A-Za-z0-9_.!+]+(-[0-9][A-Za-z0-9_.]*)?-[a-z0-9_.]+-[a-z0-9_.]+-[a-z0-9_.]+\\.whl$", basename(path)))
    ])
    error_message = "wheel_paths must keep the names that the wheels were built with: name-version-python-abi-platform.whl"
  }

  validation {
    condition     = alltrue([for path in var.wheel_paths : fileexists(path)])
    error_message = "Every one of wheel_paths must exist: run `make build` first."
  }
}

variable "pip_options" {
  description = "Options of the pip that installs the wheels on Glue, such as --no-index --no-deps. Null: none."
  type        = string
  default     = null

  validation {
    condition     = var.pip_options == null || can(regex("^--?[a-z]", var.pip_options))
    error_message = "pip_options are options of pip install, such as --no-index --no-deps."
  }

  # Arguments can be read by whoever may read the job.
  validation {
    condition     = var.pip_options == null || !can(regex("://[^/ ]*@", var.pip_options))
    error_message = "pip_options must not contain a user or password: whoever may read the job can read them."
  }
}

variable "artifacts_bucket" {
  description = "Name of the bucket that script and wheels are uploaded to."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$", var.artifacts_bucket))
    error_message = "artifacts_bucket is a bucket's name, without s3:// and without a path."
  }
}

variable "artifacts_prefix" {
  description = "Where in the bucket they go; the job's name and the content's hash follow. Null: glue-jobs."
  type        = string
  default     = null

  validation {
    condition     = var.artifacts_prefix == null || can(regex("^[a-zA-Z0-9_.=-]+(/[a-zA-Z0-9_.=-]+)*$", var.artifacts_prefix))
    error_message = "artifacts_prefix is a path without a slash at its ends, of letters, digits and any of _.=-"
  }
}

variable "watermarks_policy_json" {
  description = "The table module's policy for this job alone: job_policy_json_by_job[name]."
  type        = string
  nullable    = false

  validation {
    condition     = can(jsondecode(var.watermarks_policy_json).Statement)
    error_message = "watermarks_policy_json is a policy as JSON: job_policy_json_by_job[name] of the table module."
  }
}

variable "source_paths" {
  description = "S3 folders that the job may read, as s3://bucket/prefix."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for path in var.source_paths : can(regex("^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/[^/]", path))])
    error_message = "source_paths are folders, s3://bucket/prefix: a whole bucket is more than a job needs."
  }

  validation {
    condition     = alltrue([for path in var.source_paths : !can(regex("[*?$&{}]", path))])
    error_message = "source_paths are folders, not patterns: without * and ?, and without $ & { }, which mean something to IAM."
  }
}

variable "target_paths" {
  description = "S3 folders that the job may read, write and delete in, as s3://bucket/prefix."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for path in var.target_paths : can(regex("^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/[^/]", path))])
    error_message = "target_paths are folders, s3://bucket/prefix: a whole bucket is more than a job needs."
  }

  validation {
    condition     = alltrue([for path in var.target_paths : !can(regex("[*?$&{}]", path))])
    error_message = "target_paths are folders, not patterns: without * and ?, and without $ & { }, which mean something to IAM."
  }
}

variable "role_name" {
  description = "Name of the job's role. Null: the job's name."
  type        = string
  default     = null

  validation {
    condition     = var.role_name == null || can(regex("^[a-zA-Z0-9+=,.@_-]{1,64}$", var.role_name))
    error_message = "role_name has 1 to 64 letters, digits and any of +=,.@_-"
  }
}

variable "further_policies" {
  description = "What else the role may do: policies as JSON, by name."
  type        = map(string)
  default     = {}
  nullable    = false

  validation {
    condition     = length(setintersection(keys(var.further_policies), ["job", "watermarks"])) == 0
    error_message = "further_policies must have other names than job and watermarks, which are the module's own."
  }
}

variable "glue_version" {
  description = "Version of Glue: 5.1 or 5.0 (Spark 3.5), or 4.0 (Spark 3.3)."
  type        = string
  default     = "5.0"
  nullable    = false

  validation {
    condition     = contains(["4.0", "5.0", "5.1"], var.glue_version)
    error_message = "glue_version is 5.1, 5.0 or 4.0: older ones have a Python that the package does not support."
  }
}

variable "worker_type" {
  description = "Kind of worker, from G.1X (4 vCPU, 16 GB) upwards."
  type        = string
  default     = "G.1X"
  nullable    = false

  validation {
    # Those that every version of the provider knows from 5.0 on.
    condition     = contains(["G.1X", "G.2X", "G.4X", "G.8X"], var.worker_type)
    error_message = "worker_type is one of G.1X, G.2X, G.4X and G.8X."
  }
}

variable "number_of_workers" {
  description = "How many workers, the driver's among them; with auto_scaling: how many at most."
  type        = number
  default     = 2
  nullable    = false

  validation {
    condition     = var.number_of_workers >= 2 && var.number_of_workers <= 299 && floor(var.number_of_workers) == var.number_of_workers
    error_message = "number_of_workers is a whole number from 2 to 299."
  }
}

variable "auto_scaling" {
  description = "Whether Glue takes fewer workers while there is little to do."
  type        = bool
  default     = true
  nullable    = false
}

variable "execution_class" {
  description = "STANDARD, or FLEX: cheaper, on spare capacity, starting whenever there is some and stopping when it goes."
  type        = string
  default     = "STANDARD"
  nullable    = false

  validation {
    condition     = contains(["STANDARD", "FLEX"], var.execution_class)
    error_message = "execution_class is STANDARD or FLEX."
  }
}

variable "timeout_minutes" {
  description = "How long a run may take before Glue stops it."
  type        = number
  default     = 120
  nullable    = false

  validation {
    condition     = var.timeout_minutes >= 1 && var.timeout_minutes <= 10080 && floor(var.timeout_minutes) == var.timeout_minutes
    error_message = "timeout_minutes is a whole number from 1 to 10080, which is seven days."
  }
}

variable "max_retries" {
  description = "How often Glue tries again after a failure."
  type        = number
  default     = 1
  nullable    = false

  validation {
    condition     = var.max_retries >= 0 && var.max_retries <= 10 && floor(var.max_retries) == var.max_retries
    error_message = "max_retries is a whole number from 0 to 10."
  }
}

variable "bookmark_option" {
  description = "What a run does unless it is told otherwise: job-bookmark-enable, job-bookmark-pause or job-bookmark-disable."
  type        = string
  default     = "job-bookmark-enable"
  nullable    = false

  validation {
    condition     = contains(["job-bookmark-enable", "job-bookmark-pause", "job-bookmark-disable"], var.bookmark_option)
    error_message = "bookmark_option is job-bookmark-enable, job-bookmark-pause or job-bookmark-disable."
  }
}

variable "arguments" {
  description = "The script's own arguments and further ones of Glue, such as { \"--source\" = \"s3://...\" }."
  type        = map(string)
  default     = {}
  nullable    = false

  validation {
    condition     = alltrue([for name in keys(var.arguments) : can(regex("^--[a-zA-Z]", name))])
    error_message = "The names of arguments start with --, as in { \"--source\" = \"s3://...\" }."
  }

  validation {
    condition     = length(setintersection(keys(var.arguments), ["--JOB_NAME", "--JOB_ID", "--JOB_RUN_ID", "--debug", "--mode"])) == 0
    error_message = "--JOB_NAME, --JOB_ID, --JOB_RUN_ID, --debug and --mode are Glue's own: it passes them by itself."
  }

  # Arguments are shown in the console and by GetJob, GetJobRun and CloudTrail.
  validation {
    condition = alltrue([
      for name in keys(var.arguments) :
      !can(regex("(?i)(password|passwd|pwd|secret|token|credentials?|api[_-]?key|access[_-]?key)$", name))
    ])
    error_message = "arguments are no place for passwords and keys: whoever may read the job can read them. Use a Glue connection (connections), or pass the name of a secret (secret_arns)."
  }
}

variable "connections" {
  description = "Names of the Glue connections that the job uses."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for name in var.connections : can(regex("^[^[:cntrl:]*?$&{}/]{1,255}$", name))])
    error_message = "connections are names in full, of 1 to 255 characters on one line, without any of *?$&{}/"
  }
}

variable "secret_arns" {
  description = "ARNs of the Secrets Manager secrets that the job reads, such as those of its connections."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition = alltrue([
      for arn in var.secret_arns :
      can(regex("^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[a-zA-Z0-9/_+=.@-]+$", arn))
    ])
    error_message = "secret_arns are ARNs in full (arn:aws:secretsmanager:REGION:ACCOUNT:secret:NAME-SUFFIX), not names and not patterns."
  }
}

variable "kms_key_arn" {
  description = "ARN of your own KMS key: encrypts the job's log groups, and is used for the files it reads and writes. Null: none."
  type        = string
  default     = null

  validation {
    condition = var.kms_key_arn == null || can(
      regex("^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/[a-zA-Z0-9-]+$", var.kms_key_arn)
    )
    error_message = "kms_key_arn is the ARN of a key (arn:aws:kms:REGION:ACCOUNT:key/ID), not its id and not an alias."
  }
}

variable "security_configuration" {
  description = "Name of the Glue security configuration that encrypts what the job writes and logs. Null: none."
  type        = string
  default     = null

  validation {
    condition     = var.security_configuration == null || can(regex("^[a-zA-Z0-9_.-]{1,255}$", var.security_configuration))
    error_message = "security_configuration is the name of a Glue security configuration, of letters, digits and any of _.-"
  }
}

variable "log_retention_days" {
  description = "After how many days the job's logs are deleted; 0: never."
  type        = number
  default     = 365
  nullable    = false

  validation {
    condition = contains(
      [0, 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653],
      var.log_retention_days
    )
    error_message = "log_retention_days is 0 (never), 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288 or 3653: CloudWatch knows no others."
  }
}

variable "on_demand_trigger" {
  description = "Whether there is a trigger to start the job by hand, so that the jobs after it follow."
  type        = bool
  default     = true
  nullable    = false
}

variable "schedule" {
  description = "When the job starts, in UTC, as cron(minutes hours day-of-month month day-of-week year). Null: no schedule."
  type        = string
  default     = null

  validation {
    condition = var.schedule == null || can(regex(join(" ", [
      "^cron\\([0-9*,/-]+", "[0-9*,/-]+", "[0-9*?,/LW-]+", "[0-9A-Z*,/-]+", "[0-9A-Z*?,/-]+", "[0-9*,/-]+\\)$",
    ]), var.schedule))
    error_message = "schedule has six fields: cron(minutes hours day-of-month month day-of-week year), as in cron(30 2 * * ? *)."
  }

  validation {
    condition = var.schedule == null || try(
      length([for field in [2, 4] : field if split(" ", var.schedule)[field] == "?"]) == 1, true
    )
    error_message = "Of schedule's day-of-month and day-of-week exactly one must be ?, as in cron(30 2 * * ? *)."
  }

  # Every number of a field; a step (after a slash) may be any.
  validation {
    condition = var.schedule == null || try(alltrue([
      for index, highest in [59, 23, 31, 12, 7, 2199] : alltrue([
        for number in regexall("(?:^|[,-])([0-9]+)", split(" ", trimsuffix(trimprefix(var.schedule, "cron("), ")"))[index]) :
        tonumber(number[0]) <= highest && tonumber(number[0]) >= [0, 0, 1, 1, 1, 1970][index]
      ])
    ]), true)
    error_message = "schedule has a number out of range: minutes 0-59, hours 0-23, day-of-month 1-31, month 1-12, day-of-week 1-7, year 1970-2199."
  }

  validation {
    condition     = var.schedule == null || !can(regex("^cron\\((\\*|[0-9*-]*/[1-4]) ", var.schedule))
    error_message = "schedule starts the job more often than every five minutes, which Glue does not do."
  }
}

variable "after_jobs" {
  description = "Starts the job after others: the state that each must have reached (SUCCEEDED, FAILED, TIMEOUT, STOPPED), by job."
  type        = map(string)
  default     = {}
  nullable    = false

  validation {
    condition     = alltrue([for state in values(var.after_jobs) : contains(["SUCCEEDED", "FAILED", "TIMEOUT", "STOPPED"], state)])
    error_message = "after_jobs has a state for each job: SUCCEEDED, FAILED, TIMEOUT or STOPPED."
  }
}

variable "after_any" {
  description = "Whether one of after_jobs is enough, rather than all of them."
  type        = bool
  default     = false
  nullable    = false
}

variable "triggers_enabled" {
  description = "Whether schedule and after_jobs are in force. False: they are there, and start nothing."
  type        = bool
  default     = true
  nullable    = false
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
