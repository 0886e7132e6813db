# A Glue job that uses the package: script and wheels in S3, a role of its own (iam.tf), its log groups (logs.tf), the job,
# and what starts it (triggers.tf).

locals {
  prefix = "${local.artifacts_root}/${var.name}"

  # The content's hash is a folder of the key, so that other content is another object and another job definition; the file
  # keeps its name, because pip reads version and platform from the name of a wheel.
  files = {
    for path in concat([var.script_path], var.wheel_paths) :
    path => "${local.prefix}/${substr(filesha256(path), 0, 16)}/${basename(path)}"
  }

  uris = { for path, file in aws_s3_object.file : path => "s3://${file.bucket}/${file.key}" }

  # Every argument that this module decides about, and so refuses among var.arguments; null: not passed.
  decided_arguments = {
    "--job-language"                     = "python"
    "--job-bookmark-option"              = var.bookmark_option
    "--additional-python-modules"        = join(",", [for path in var.wheel_paths : local.uris[path]])
    "--python-modules-installer-option"  = var.pip_options
    "--enable-auto-scaling"              = tostring(var.auto_scaling)
    "--enable-metrics"                   = "true"
    "--enable-observability-metrics"     = "true"
    "--enable-continuous-cloudwatch-log" = "true"
    # Glue 5 has one setting for both groups; Glue 4 can move only what is logged continuously.
    "--custom-logGroup-prefix"  = local.glue_4 ? null : local.log_group_prefix
    "--continuous-log-logGroup" = local.glue_4 ? local.log_groups["output"] : null
  }

  passed_arguments = { for name, value in local.decided_arguments : name => value if value != null }
  glue_4           = startswith(var.glue_version, "4.")
}

resource "aws_s3_object" "file" {
  for_each = local.files

  bucket      = var.artifacts_bucket
  key         = each.value
  source      = each.key
  source_hash = filesha256(each.key)
  tags        = var.tags

  # New content first, then the job that points to it, and the old content last.
  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_glue_job" "this" {
  name        = var.name
  description = var.description
  role_arn    = aws_iam_role.this.arn

  glue_version           = var.glue_version
  worker_type            = var.worker_type
  number_of_workers      = var.number_of_workers
  execution_class        = var.execution_class
  timeout                = var.timeout_minutes
  max_retries            = var.max_retries
  connections            = var.connections
  security_configuration = var.security_configuration

  command {
    name            = "glueetl"
    python_version  = "3"
    script_location = local.uris[var.script_path]
  }

  # Not a variable: a second run of the same job would find the job's lease taken and fail at once.
  execution_property {
    max_concurrent_runs = 1
  }

  default_arguments = merge(var.arguments, local.passed_arguments)
  tags              = var.tags

  lifecycle {
    precondition {
      condition     = length(setintersection(keys(var.arguments), keys(local.decided_arguments))) == 0
      error_message = "arguments must not contain ${join(", ", setintersection(keys(var.arguments), keys(local.decided_arguments)))}: the module sets that itself. See its other variables, such as bookmark_option, wheel_paths, pip_options and auto_scaling."
    }

    precondition {
      condition     = var.execution_class == "STANDARD" || contains(["G.1X", "G.2X"], var.worker_type)
      error_message = "execution_class FLEX goes with worker_type G.1X or G.2X, not with ${var.worker_type}."
    }
  }

  # A run that starts before the role may read its script fails, and a schedule does not wait.
  depends_on = [aws_iam_role_policy.this, aws_iam_role_policy.watermarks]
}
