variable "database_name" {
  description = "Name of the Data Catalog database."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z0-9_]{1,255}$", var.database_name))
    error_message = "database_name has 1 to 255 lower-case letters, digits and underscores: Athena reads no others."
  }
}

variable "create_database" {
  description = "Whether to create the database. False: it is there already."
  type        = bool
  default     = true
  nullable    = false
}

variable "table_name" {
  description = "Name of the table."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z0-9_]{1,255}$", var.table_name))
    error_message = "table_name has 1 to 255 lower-case letters, digits and underscores: Athena reads no others."
  }
}

variable "description" {
  description = "What the table holds."
  type        = string
  default     = null
}

variable "location" {
  description = "The job's target, as s3://bucket/prefix: the folder that has the folders batch_id=1, batch_id=2 and so on."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/[^/]", var.location)) && !can(regex("batch_id=", var.location))
    error_message = "location is the folder above the batches, s3://bucket/prefix, without batch_id=."
  }
}

variable "columns" {
  description = "The columns of the files in order, without batch_id, with the types that Athena has for them."
  type = list(object({
    name    = string
    type    = string
    comment = optional(string)
  }))
  nullable = false

  validation {
    condition     = length(var.columns) > 0
    error_message = "columns must name at least one column."
  }

  validation {
    condition     = alltrue([for column in var.columns : can(regex("^[a-z0-9_]{1,255}$", column.name))])
    error_message = "A column's name has 1 to 255 lower-case letters, digits and underscores."
  }

  validation {
    condition     = length(distinct(var.columns[*].name)) == length(var.columns) && !contains(var.columns[*].name, "batch_id")
    error_message = "columns must have different names, and batch_id is not one of them: it comes from the folder's name."
  }

  validation {
    condition = alltrue([
      for column in var.columns : can(regex(
        "^(boolean|tinyint|smallint|int|bigint|float|double|string|binary|date|timestamp|decimal\\([0-9]{1,2},[0-9]{1,2}\\)|char\\([0-9]+\\)|varchar\\([0-9]+\\)|(array|map|struct)<.+>)$",
        column.type
      ))
    ])
    error_message = "A column's type is one of Hive's: boolean, tinyint, smallint, int, bigint, float, double, string, binary, date, timestamp, decimal(P,S), char(N), varchar(N), array<...>, map<...>, struct<...>."
  }
}

variable "max_batch_id" {
  description = "The highest batch that Athena looks for. Later ones are not seen, and every query without a filter on batch_id looks for all of them."
  type        = number
  default     = 3650
  nullable    = false

  validation {
    condition     = var.max_batch_id >= 1 && var.max_batch_id <= 1000000 && floor(var.max_batch_id) == var.max_batch_id
    error_message = "max_batch_id is a whole number from 1 to 1000000."
  }
}

variable "tags" {
  description = "Tags of everything that is created and can have them: the database."
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
