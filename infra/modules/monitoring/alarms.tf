# What somebody should hear about. A run publishes once, at its end, so most minutes have no data: how each alarm treats
# them is what makes it right.

locals {
  alarms = concat(
    values(aws_cloudwatch_metric_alarm.failed_runs),
    values(aws_cloudwatch_metric_alarm.no_run),
    values(aws_cloudwatch_metric_alarm.mark_age),
  )

  # CloudWatch looks back seven days at most, with periods of an hour or more. By the hour, the alarm comes within the hour.
  hour = 3600
}

# Every run says 1 or 0. Without data the state stays as it is: a failure is over when a run has committed, not before.
resource "aws_cloudwatch_metric_alarm" "failed_runs" {
  for_each = var.jobs

  alarm_name        = "${var.name}-${each.key}-failed"
  alarm_description = "The last run of ${each.key} failed. Its marks did not move; the next run starts from where the last good one ended."

  namespace           = local.namespace
  metric_name         = "FailedRuns"
  dimensions          = { JobName = each.key }
  statistic           = "Sum"
  period              = 60 # so that a failure and the retry after it are not added up
  evaluation_periods  = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 1
  treat_missing_data  = "ignore"

  alarm_actions = [local.topic_arn]
  ok_actions    = [local.topic_arn]
  tags          = var.tags
}

# No data is what this is about: so many hours, one after the other, in which no run ended.
resource "aws_cloudwatch_metric_alarm" "no_run" {
  for_each = { for job, settings in var.jobs : job => settings.expected_every_hours if settings.expected_every_hours != null }

  alarm_name        = "${var.name}-${each.key}-no-run"
  alarm_description = "No run of ${each.key} ended in the last ${each.value} hours, well or badly."

  namespace           = local.namespace
  metric_name         = "RunSeconds"
  dimensions          = { JobName = each.key }
  statistic           = "SampleCount"
  period              = local.hour
  evaluation_periods  = each.value
  datapoints_to_alarm = each.value
  comparison_operator = "LessThanThreshold"
  threshold           = 1
  treat_missing_data  = "breaching"

  alarm_actions = [local.topic_arn]
  ok_actions    = [local.topic_arn]
  tags          = var.tags
}

# The age at the end of a run. Between runs nothing is known, and the state stays; that there are runs, no_run sees to.
resource "aws_cloudwatch_metric_alarm" "mark_age" {
  for_each = { for key, source in local.sources : key => source if source.max_mark_age_hours != null }

  alarm_name        = "${var.name}-${each.value.job}-${each.value.source}-mark-age"
  alarm_description = "The mark of ${each.value.source} in ${each.value.job} is more than ${each.value.max_mark_age_hours} hours old: the source has stopped bringing anything new, or its rows arrive late."

  namespace           = local.namespace
  metric_name         = "MarkAgeSeconds"
  dimensions          = { JobName = each.value.job, Source = each.value.source }
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = 1
  comparison_operator = "GreaterThanThreshold"
  threshold           = each.value.max_mark_age_hours * local.hour
  treat_missing_data  = "ignore"

  alarm_actions = [local.topic_arn]
  ok_actions    = [local.topic_arn]
  tags          = var.tags
}
