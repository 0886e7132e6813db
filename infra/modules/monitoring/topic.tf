# Where alarms go: a topic that is given, or one made here, which lets just these alarms and this rule in.

locals {
  topic_arn = var.sns_topic == null ? aws_sns_topic.this[0].arn : var.sns_topic.arn
  rule_arns = aws_cloudwatch_event_rule.ended_badly[*].arn

  # arn:aws:sns:REGION:ACCOUNT:NAME
  topic_arn_parts = split(":", local.topic_arn)
  alarm_arns      = "arn:${local.topic_arn_parts[1]}:cloudwatch:${local.topic_arn_parts[3]}:${local.topic_arn_parts[4]}:alarm:${var.name}-*"
}

# Not encrypted by the key that AWS manages for SNS: CloudWatch may not use that one, and its alarms would be lost.
resource "aws_sns_topic" "this" {
  count = var.sns_topic == null ? 1 : 0

  name              = var.name
  kms_master_key_id = var.kms_key_arn
  tags              = var.tags
}

resource "aws_sns_topic_policy" "this" {
  count = length(aws_sns_topic.this)

  arn    = aws_sns_topic.this[0].arn
  policy = data.aws_iam_policy_document.topic[0].json
}

data "aws_iam_policy_document" "topic" {
  count = length(aws_sns_topic.this)

  statement {
    sid       = "AlarmsPublish"
    actions   = ["sns:Publish"]
    resources = [aws_sns_topic.this[0].arn]

    principals {
      type        = "Service"
      identifiers = ["cloudwatch.amazonaws.com"]
    }

    condition {
      test     = "ArnLike"
      variable = "aws:SourceArn"
      values   = [local.alarm_arns]
    }
  }

  dynamic "statement" {
    for_each = length(local.rule_arns) == 0 ? [] : [local.rule_arns]

    content {
      sid       = "EventsPublish"
      actions   = ["sns:Publish"]
      resources = [aws_sns_topic.this[0].arn]

      principals {
        type        = "Service"
        identifiers = ["events.amazonaws.com"]
      }

      condition {
        test     = "ArnEquals"
        variable = "aws:SourceArn"
        values   = statement.value
      }
    }
  }
}

resource "aws_sns_topic_subscription" "email" {
  for_each = var.emails

  topic_arn = local.topic_arn
  protocol  = "email"
  endpoint  = each.value
}
