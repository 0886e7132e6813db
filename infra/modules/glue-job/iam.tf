# The job's role: what it is called to do, and nothing else. Wildcards only below the prefixes given and where AWS knows no
# resource (metrics, network).

locals {
  role_name = coalesce(var.role_name, var.name)

  # s3://bucket/a/b/ => { bucket = "bucket", prefix = "a/b" }
  sources = [for path in var.source_paths : regex("^s3://(?P<bucket>[^/]+)/(?P<prefix>.*[^/])/*$", path)]
  targets = [for path in var.target_paths : regex("^s3://(?P<bucket>[^/]+)/(?P<prefix>.*[^/])/*$", path)]

  s3_arn = "arn:${local.partition}:s3:::"

  # Where a run must not write, or it could replace what the next one executes: the folder of all jobs' files.
  artifacts_root = coalesce(var.artifacts_prefix, "glue-jobs")
  overlapping_targets = [
    for s3 in local.targets : "s3://${s3.bucket}/${s3.prefix}"
    if s3.bucket == var.artifacts_bucket && (
      startswith("${s3.prefix}/", "${local.artifacts_root}/") || startswith("${local.artifacts_root}/", "${s3.prefix}/")
    )
  ]

  # Hadoop marks a folder by an empty object beside it.
  folder_mark = "_$folder$"

  glue_arn = "arn:${local.partition}:glue:${local.region}:${local.account_id}"
  ec2_arn  = "arn:${local.partition}:ec2:${local.region}:${local.account_id}"

  # The jobs that each statement about items lets in; an empty list would be every job.
  watermarks_jobs = [
    for statement in jsondecode(var.watermarks_policy_json).Statement :
    try(flatten([statement.Condition["ForAllValues:StringEquals"]["dynamodb:LeadingKeys"]]), [])
    if anytrue([
      for action in flatten([statement.Action]) : startswith(action, "dynamodb:") && action != "dynamodb:DescribeTable"
    ])
  ]
}

resource "aws_iam_role" "this" {
  name               = local.role_name
  description        = "Runs the Glue job ${var.name}."
  assume_role_policy = data.aws_iam_policy_document.trust.json
  tags               = var.tags
}

data "aws_iam_policy_document" "trust" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["glue.amazonaws.com"]
    }
  }
}

resource "aws_iam_role_policy" "watermarks" {
  name   = "watermarks"
  role   = aws_iam_role.this.name
  policy = var.watermarks_policy_json

  lifecycle {
    precondition {
      condition = length(local.watermarks_jobs) > 0 && alltrue([
        for jobs in local.watermarks_jobs : length(jobs) == 1 && contains(jobs, var.name)
      ])
      error_message = "watermarks_policy_json must let in ${var.name} and no other job. Pass job_policy_json_by_job[\"${var.name}\"] of the table module, and name the job in its job_names."
    }
  }
}

resource "aws_iam_role_policy" "this" {
  for_each = merge(var.further_policies, { job = data.aws_iam_policy_document.job.json })

  name   = each.key
  role   = aws_iam_role.this.name
  policy = each.value

  lifecycle {
    precondition {
      condition     = length(local.overlapping_targets) == 0
      error_message = "target_paths must not overlap with where scripts and wheels are, s3://${var.artifacts_bucket}/${local.artifacts_root}: a run could replace what the next one executes. Overlapping: ${join(", ", local.overlapping_targets)}."
    }
  }
}

data "aws_iam_policy_document" "job" {
  statement {
    sid       = "ReadScriptAndWheels"
    actions   = ["s3:GetObject"]
    resources = [for file in aws_s3_object.file : "${local.s3_arn}${file.bucket}/${file.key}"]
  }

  # S3 also answers by this whether an object is missing (404) or forbidden (403), and Spark asks for missing ones.
  dynamic "statement" {
    for_each = concat(local.sources, local.targets)

    content {
      sid       = "ListFolder${statement.key}"
      actions   = ["s3:ListBucket"]
      resources = ["${local.s3_arn}${statement.value.bucket}"]

      condition {
        test     = "StringLike"
        variable = "s3:prefix"
        values = [
          statement.value.prefix,
          "${statement.value.prefix}/*",
          "${statement.value.prefix}${local.folder_mark}",
        ]
      }
    }
  }

  dynamic "statement" {
    for_each = length(local.sources) == 0 ? [] : [local.sources]

    content {
      sid       = "ReadSources"
      actions   = ["s3:GetObject"]
      resources = [for s3 in statement.value : "${local.s3_arn}${s3.bucket}/${s3.prefix}/*"]
    }
  }

  # To overwrite a batch is to delete and to put.
  dynamic "statement" {
    for_each = length(local.targets) == 0 ? [] : [local.targets]

    content {
      sid     = "ReadAndWriteTargets"
      actions = ["s3:AbortMultipartUpload", "s3:DeleteObject", "s3:GetObject", "s3:ListMultipartUploadParts", "s3:PutObject"]
      resources = flatten([
        for s3 in statement.value : [
          "${local.s3_arn}${s3.bucket}/${s3.prefix}/*",
          "${local.s3_arn}${s3.bucket}/${s3.prefix}${local.folder_mark}",
        ]
      ])
    }
  }

  statement {
    sid     = "WriteOwnLogs"
    actions = ["logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"]
    resources = flatten([
      for name in concat(values(local.log_groups), local.shared_log_groups) :
      ["${local.log_group_arn_root}:${name}", "${local.log_group_arn_root}:${name}:*"]
    ])
  }

  dynamic "statement" {
    for_each = var.security_configuration == null ? [] : [local.shared_log_groups]

    content {
      sid       = "EncryptOwnLogs"
      actions   = ["logs:AssociateKmsKey"]
      resources = [for name in statement.value : "${local.log_group_arn_root}:${name}"]
    }
  }

  # GlueWatermarks: what the package publishes. Glue: what Glue publishes of every job, in the job's name.
  statement {
    sid       = "PublishMetrics"
    actions   = ["cloudwatch:PutMetricData"]
    resources = ["*"]

    condition {
      test     = "StringEquals"
      variable = "cloudwatch:namespace"
      values   = ["Glue", "GlueWatermarks"]
    }
  }

  dynamic "statement" {
    for_each = var.kms_key_arn == null ? [] : [var.kms_key_arn]

    content {
      sid       = "UseKeyForFiles"
      actions   = ["kms:Decrypt", "kms:Encrypt", "kms:GenerateDataKey"]
      resources = [statement.value]

      condition {
        test     = "StringEquals"
        variable = "kms:ViaService"
        values   = ["s3.${local.region}.amazonaws.com"]
      }
    }
  }

  dynamic "statement" {
    for_each = length(var.secret_arns) == 0 ? [] : [var.secret_arns]

    content {
      sid       = "ReadSecrets"
      actions   = ["secretsmanager:GetSecretValue"]
      resources = statement.value
    }
  }

  dynamic "statement" {
    for_each = length(var.connections) == 0 ? [] : [var.connections]

    content {
      sid       = "UseConnections"
      actions   = ["glue:GetConnection"]
      resources = concat(["${local.glue_arn}:catalog"], [for name in statement.value : "${local.glue_arn}:connection/${name}"])
    }
  }

  # A connection has the job join a network: Glue makes network interfaces in its subnet, as the job's role.
  dynamic "statement" {
    for_each = length(var.connections) == 0 ? [] : [true]

    content {
      sid = "LookAtNetwork"
      actions = [
        "ec2:DescribeNetworkInterfaces",
        "ec2:DescribeRouteTables",
        "ec2:DescribeSecurityGroups",
        "ec2:DescribeSubnets",
        "ec2:DescribeVpcAttribute",
        "ec2:DescribeVpcEndpoints",
      ]
      resources = ["*"]
    }
  }

  dynamic "statement" {
    for_each = length(var.connections) == 0 ? [] : [true]

    content {
      sid       = "JoinNetwork"
      actions   = ["ec2:CreateNetworkInterface", "ec2:DeleteNetworkInterface"]
      resources = [for kind in ["network-interface", "security-group", "subnet"] : "${local.ec2_arn}:${kind}/*"]
    }
  }

  dynamic "statement" {
    for_each = length(var.connections) == 0 ? [] : [true]

    content {
      sid       = "TagOwnNetworkInterfaces"
      actions   = ["ec2:CreateTags", "ec2:DeleteTags"]
      resources = ["${local.ec2_arn}:network-interface/*"]

      condition {
        test     = "ForAllValues:StringEquals"
        variable = "aws:TagKeys"
        values   = ["aws-glue-service-resource"]
      }

      # ForAllValues also holds when there is no tag at all.
      condition {
        test     = "Null"
        variable = "aws:TagKeys"
        values   = ["false"]
      }
    }
  }
}
