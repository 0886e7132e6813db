# Alarms, dashboard and topic. What CloudWatch makes of them is tried by tests/infra.

mock_provider "aws" {
  source = "./tests/mocks"
}

variables {
  jobs = {
    "repairs-load" = {
      sources = {
        "repairs" = { max_mark_age_hours = 26 }
        "trades"  = { max_mark_age_hours = 0.5 }
      }
      expected_every_hours = 25
    }
    "stock-load" = {
      sources = { "stock" = {} }
    }
  }
}

run "as_it_comes" {
  # Alarms.

  assert {
    condition = output.alarm_names == tolist([
      "glue-watermarks-repairs-load-failed",
      "glue-watermarks-repairs-load-no-run",
      "glue-watermarks-repairs-load-repairs-mark-age",
      "glue-watermarks-repairs-load-trades-mark-age",
      "glue-watermarks-stock-load-failed",
    ])
    error_message = "Every job should have an alarm for failures; for old marks and missing runs, those that were told how old and how often."
  }

  assert {
    condition = alltrue([
      for job, alarm in aws_cloudwatch_metric_alarm.failed_runs :
      alarm.metric_name == "FailedRuns" && alarm.statistic == "Sum" && alarm.threshold == 1 &&
      alarm.comparison_operator == "GreaterThanOrEqualToThreshold" && alarm.dimensions == tomap({ JobName = job })
    ])
    error_message = "One failed run should be enough."
  }

  assert {
    condition = alltrue([
      for alarm in concat(values(aws_cloudwatch_metric_alarm.failed_runs), values(aws_cloudwatch_metric_alarm.mark_age)) :
      alarm.treat_missing_data == "ignore" && alarm.evaluation_periods == 1
    ])
    error_message = "A failure or an old mark should last until a run says otherwise, and not end with the minute."
  }

  assert {
    condition = (
      aws_cloudwatch_metric_alarm.no_run["repairs-load"].metric_name == "RunSeconds" &&
      aws_cloudwatch_metric_alarm.no_run["repairs-load"].statistic == "SampleCount" &&
      aws_cloudwatch_metric_alarm.no_run["repairs-load"].comparison_operator == "LessThanThreshold" &&
      aws_cloudwatch_metric_alarm.no_run["repairs-load"].threshold == 1 &&
      aws_cloudwatch_metric_alarm.no_run["repairs-load"].treat_missing_data == "breaching"
    )
    error_message = "No data should be no run."
  }

  assert {
    condition = (
      aws_cloudwatch_metric_alarm.no_run["repairs-load"].period == 3600 &&
      aws_cloudwatch_metric_alarm.no_run["repairs-load"].evaluation_periods == 25 &&
      aws_cloudwatch_metric_alarm.no_run["repairs-load"].datapoints_to_alarm == 25
    )
    error_message = "All of the hours should have to be without a run, so that one run is enough."
  }

  assert {
    condition = {
      for key, alarm in aws_cloudwatch_metric_alarm.mark_age :
      key => "${alarm.metric_name} ${alarm.statistic} ${alarm.comparison_operator} ${alarm.threshold} ${jsonencode(alarm.dimensions)}"
      } == {
      "repairs-load/repairs" = "MarkAgeSeconds Maximum GreaterThanThreshold 93600 {\"JobName\":\"repairs-load\",\"Source\":\"repairs\"}"
      "repairs-load/trades"  = "MarkAgeSeconds Maximum GreaterThanThreshold 1800 {\"JobName\":\"repairs-load\",\"Source\":\"trades\"}"
    }
    error_message = "Each source should have its own threshold, in seconds."
  }

  assert {
    condition = alltrue([
      for alarm in local.alarms :
      alarm.namespace == "GlueWatermarks" && alarm.alarm_actions == toset([output.topic_arn]) && alarm.ok_actions == toset([output.topic_arn])
    ])
    error_message = "Every alarm should be about the package's metrics, and tell the topic when it begins and when it is over."
  }

  # Dashboard.

  assert {
    condition = toset(flatten([
      for widget in jsondecode(aws_cloudwatch_dashboard.this.dashboard_body).widgets : [
        for metric in try(widget.properties.metrics, []) : join(" ", slice(metric, 1, length(metric) - 1))
      ]
      ])) == toset(concat(
      [for pair in setproduct(["EmptyRuns", "FailedRuns", "RowsLoaded", "RunSeconds"], ["repairs-load", "stock-load"]) : "${pair[0]} JobName ${pair[1]}"],
      [for pair in setproduct(
        ["LateRows", "MarkAgeSeconds", "RowsLoaded"],
        ["repairs-load Source repairs", "repairs-load Source trades", "stock-load Source stock"]
      ) : "${pair[0]} JobName ${pair[1]}"],
    ))
    error_message = "The dashboard should have every metric of every job and source, with the dimensions that they are published with."
  }

  assert {
    condition = alltrue([
      for widget in jsondecode(aws_cloudwatch_dashboard.this.dashboard_body).widgets :
      widget.properties.region == "eu-west-2" && alltrue([for metric in widget.properties.metrics : metric[0] == "GlueWatermarks"])
      if widget.type == "metric"
    ])
    error_message = "Every graph should be about the package's metrics, in this Region."
  }

  assert {
    condition = length(distinct([
      for widget in jsondecode(aws_cloudwatch_dashboard.this.dashboard_body).widgets : "${widget.x} ${widget.y}"
    ])) == length(jsondecode(aws_cloudwatch_dashboard.this.dashboard_body).widgets)
    error_message = "No graph should lie on another."
  }

  # Topic.

  assert {
    condition = {
      for s in data.aws_iam_policy_document.topic[0].statement :
      one(one(s.principals).identifiers) => "${one(s.condition).test} ${one(one(s.condition).values)}"
      } == {
      "cloudwatch.amazonaws.com" = "ArnLike arn:aws:cloudwatch:eu-west-2:123456789012:alarm:glue-watermarks-*"
      "events.amazonaws.com"     = "ArnEquals arn:aws:events:eu-west-2:123456789012:rule/glue-watermarks-ended-badly"
    }
    error_message = "The topic should let these alarms and this rule publish, and nobody else."
  }

  # Events.

  assert {
    condition = jsondecode(aws_cloudwatch_event_rule.ended_badly[0].event_pattern) == {
      source      = ["aws.glue"]
      detail-type = ["Glue Job State Change"]
      detail      = { jobName = ["repairs-load", "stock-load"], state = ["FAILED", "TIMEOUT"] }
    }
    error_message = "Runs of these jobs that Glue says failed or timed out should be told."
  }
}

run "as_told" {
  variables {
    name        = "watermarks-dev"
    sns_topic   = { arn = "arn:aws:sns:eu-west-2:123456789012:on-call" }
    emails      = ["data-platform@example.org"]
    glue_states = []
    tags        = { Team = "data-platform" }
  }

  assert {
    condition     = length(aws_sns_topic.this) == 0 && output.topic_arn == "arn:aws:sns:eu-west-2:123456789012:on-call"
    error_message = "Alarms should go to the topic given."
  }

  assert {
    condition     = alltrue([for alarm in local.alarms : alarm.alarm_actions == toset([var.sns_topic.arn])])
    error_message = "Alarms should go to the topic given."
  }

  assert {
    condition     = length(aws_cloudwatch_event_rule.ended_badly) == 0 && length(aws_cloudwatch_event_target.topic) == 0
    error_message = "Without states there should be no rule."
  }

  assert {
    condition = {
      for email, subscription in aws_sns_topic_subscription.email : email => "${subscription.protocol} ${subscription.topic_arn}"
    } == { "data-platform@example.org" = "email arn:aws:sns:eu-west-2:123456789012:on-call" }
    error_message = "Addresses should hear of alarms."
  }

  assert {
    condition = (
      aws_cloudwatch_dashboard.this.dashboard_name == "watermarks-dev" &&
      alltrue([for name in output.alarm_names : startswith(name, "watermarks-dev-")]) &&
      alltrue([for alarm in local.alarms : alarm.tags == tomap({ Team = "data-platform" })])
    )
    error_message = "Names and tags should be as told."
  }
}

run "a_job_without_sources" {
  command = plan

  variables {
    jobs = { "repairs-load" = {} }
  }

  assert {
    condition     = length(local.widgets) == 5
    error_message = "A graph of sources without a source is one that CloudWatch refuses."
  }
}
