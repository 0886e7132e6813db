# Log groups of the job's own, so that they expire, and so that the role can write to no other job's.

locals {
  log_group_prefix = "/aws-glue/jobs/${var.name}"
  log_groups = {
    error  = "${local.log_group_prefix}/error"
    output = "${local.log_group_prefix}/output"
  }

  # arn:aws:logs:REGION:ACCOUNT:log-group, taken from a group rather than asked for.
  log_group_arn_parts = split(":", aws_cloudwatch_log_group.this["output"].arn)
  partition           = local.log_group_arn_parts[1]
  region              = local.log_group_arn_parts[3]
  account_id          = local.log_group_arn_parts[4]
  log_group_arn_root  = join(":", slice(local.log_group_arn_parts, 0, 6))

  # Those that Glue writes to by names of its own: Glue 4 in any case, and every version under a security configuration.
  shared_log_groups = concat(
    local.glue_4 ? ["/aws-glue/jobs/error", "/aws-glue/jobs/logs-v2", "/aws-glue/jobs/output"] : [],
    var.security_configuration == null ? [] : [
      "/aws-glue/jobs-${local.role_name}-${var.security_configuration}/*",
      "${local.log_group_prefix}/*-${var.security_configuration}",
    ],
  )
}

resource "aws_cloudwatch_log_group" "this" {
  for_each = local.log_groups

  name              = each.value
  retention_in_days = var.log_retention_days
  kms_key_id        = var.kms_key_arn
  tags              = var.tags
}
