# Who may do what, as policy documents without a wildcard in actions or resources, but for metrics: AWS knows no resources of
# them.
#
#   job       reads and commits the watermarks of the jobs named, sees no other job, and publishes metrics
#   reader    looks at everything, changes nothing
#   operator  reader, and may rewind, reset, set and forget
#
# DynamoDB authorises a transaction as the PutItem, UpdateItem and ConditionCheckItem in it. Nobody gets DeleteItem: history
# is only added to, and expires. Nobody gets Scan of the table: it costs as much as all history together.

locals {
  table_arn         = aws_dynamodb_table.this.arn
  runs_by_time_arn  = "${local.table_arn}/index/${local.runs_by_time}"
  latest_by_job_arn = "${local.table_arn}/index/${local.latest_by_job}"
  region            = split(":", local.table_arn)[3]

  # With a key of one's own, whoever uses the table must be allowed to use the key, through DynamoDB alone.
  kms_key_arns  = var.kms_key_arn == null ? [] : [var.kms_key_arn]
  dynamodb_here = "dynamodb.${local.region}.amazonaws.com"

  metrics_namespace = "GlueWatermarks" # a contract with scripts/helpers/watermarks

  # One policy for a role that runs all the jobs named, and one each for jobs with a role of their own. No job can have the
  # name of the first: variables.tf refuses it.
  all_jobs = "*"
  job_policies = merge(
    length(var.job_names) == 0 ? {} : { (local.all_jobs) = sort(var.job_names) },
    { for name in var.job_names : name => [name] },
  )
}

data "aws_iam_policy_document" "job" {
  for_each = local.job_policies

  statement {
    sid = "ReadAndCommitOwnWatermarks"
    actions = [
      "dynamodb:ConditionCheckItem",
      "dynamodb:GetItem",
      "dynamodb:PutItem",
      "dynamodb:Query",
      "dynamodb:UpdateItem",
    ]
    resources = [local.table_arn]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = each.value
    }

    # ForAllValues also holds when there is no key at all.
    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }
  }

  statement {
    sid       = "ReadOwnHistory"
    actions   = ["dynamodb:Query"]
    resources = [local.runs_by_time_arn]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = each.value
    }

    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }
  }

  # Apart, because such a request has no leading key.
  statement {
    sid       = "DescribeTable"
    actions   = ["dynamodb:DescribeTable"]
    resources = [local.table_arn]
  }

  # On Glue every run that commits or fails publishes metrics without being asked. The condition holds it to the namespace.
  dynamic "statement" {
    for_each = var.publish_metrics ? [local.metrics_namespace] : []

    content {
      sid       = "PublishWatermarkMetrics"
      actions   = ["cloudwatch:PutMetricData"]
      resources = ["*"]

      condition {
        test     = "StringEquals"
        variable = "cloudwatch:namespace"
        values   = [statement.value]
      }
    }
  }

  dynamic "statement" {
    for_each = local.kms_key_arns

    content {
      sid       = "UseKeyToReadAndWrite"
      actions   = ["kms:Decrypt", "kms:Encrypt", "kms:GenerateDataKey"]
      resources = [statement.value]

      condition {
        test     = "StringEquals"
        variable = "kms:ViaService"
        values   = [local.dynamodb_here]
      }
    }
  }
}

data "aws_iam_policy_document" "reader" {
  statement {
    sid       = "ReadItems"
    actions   = ["dynamodb:BatchGetItem", "dynamodb:GetItem"]
    resources = [local.table_arn]
  }

  statement {
    sid       = "QueryTableAndIndexes"
    actions   = ["dynamodb:Query"]
    resources = [local.table_arn, local.runs_by_time_arn, local.latest_by_job_arn]
  }

  statement {
    sid       = "ListJobs"
    actions   = ["dynamodb:Scan"]
    resources = [local.latest_by_job_arn]
  }

  statement {
    sid = "DescribeTable"
    actions = [
      "dynamodb:DescribeContinuousBackups",
      "dynamodb:DescribeTable",
      "dynamodb:DescribeTimeToLive",
    ]
    resources = [local.table_arn]
  }

  dynamic "statement" {
    for_each = local.kms_key_arns

    content {
      sid       = "UseKeyToRead"
      actions   = ["kms:Decrypt"]
      resources = [statement.value]

      condition {
        test     = "StringEquals"
        variable = "kms:ViaService"
        values   = [local.dynamodb_here]
      }
    }
  }
}

data "aws_iam_policy_document" "operator" {
  source_policy_documents = [data.aws_iam_policy_document.reader.json]

  statement {
    sid = "ChangeWatermarks"
    actions = [
      "dynamodb:ConditionCheckItem",
      "dynamodb:PutItem",
      "dynamodb:UpdateItem",
    ]
    resources = [local.table_arn]
  }

  dynamic "statement" {
    for_each = local.kms_key_arns

    content {
      sid       = "UseKeyToWrite"
      actions   = ["kms:Encrypt", "kms:GenerateDataKey"]
      resources = [statement.value]

      condition {
        test     = "StringEquals"
        variable = "kms:ViaService"
        values   = [local.dynamodb_here]
      }
    }
  }
}

locals {
  job_policy_json = one([for jobs, policy in data.aws_iam_policy_document.job : policy.json if jobs == local.all_jobs])

  managed_policies = merge(
    {
      reader = {
        description = "Look at every job's watermarks in ${var.name}; change nothing."
        json        = data.aws_iam_policy_document.reader.json
      }
      operator = {
        description = "Look at every job's watermarks in ${var.name}; rewind, reset, set and forget them."
        json        = data.aws_iam_policy_document.operator.json
      }
    },
    length(var.job_names) == 0 ? {} : {
      job = {
        description = "Read and commit the watermarks of the jobs named, in ${var.name}."
        json        = local.job_policy_json
      }
    },
  )
}

resource "aws_iam_policy" "this" {
  for_each = var.create_policies ? local.managed_policies : {}

  name        = "${coalesce(var.policy_name_prefix, var.name)}-${each.key}"
  description = each.value.description
  policy      = each.value.json
  tags        = var.tags
}
