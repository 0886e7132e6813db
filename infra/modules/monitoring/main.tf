# A dashboard of the metrics that the package publishes, and where alarms go (topic.tf). The alarms are in alarms.tf, runs
# that died without a word in events.tf.

locals {
  namespace = "GlueWatermarks" # a contract with scripts/helpers/watermarks

  # Every source of every job, by "job/source"; no job's name has a slash.
  sources = merge([
    for job, settings in var.jobs : {
      for source, limits in settings.sources : "${job}/${source}" => {
        job                = job
        source             = source
        max_mark_age_hours = limits.max_mark_age_hours
      }
    }
  ]...)

  by_job = {
    for metric in ["EmptyRuns", "FailedRuns", "RowsLoaded", "RunSeconds"] : metric => [
      for job in sort(keys(var.jobs)) : [local.namespace, metric, "JobName", job, { label = job }]
    ]
  }

  by_source = {
    for metric in ["LateRows", "MarkAgeSeconds", "RowsLoaded"] : metric => [
      for key in sort(keys(local.sources)) : [
        local.namespace, metric, "JobName", local.sources[key].job, "Source", local.sources[key].source, { label = key }
      ]
    ]
  }

  # Published once a run: with so short a period every run is a point of its own.
  graphs = [
    { title = "Age of every mark at the end of a run, in seconds", stat = "Maximum", metrics = local.by_source["MarkAgeSeconds"] },
    { title = "Rows per run", stat = "Sum", metrics = local.by_job["RowsLoaded"] },
    { title = "Failed runs", stat = "Sum", metrics = local.by_job["FailedRuns"] },
    { title = "Seconds per run", stat = "Maximum", metrics = local.by_job["RunSeconds"] },
    { title = "Rows per run and source", stat = "Sum", metrics = local.by_source["RowsLoaded"] },
    { title = "Late rows", stat = "Sum", metrics = local.by_source["LateRows"] },
    { title = "Runs that found nothing new", stat = "Sum", metrics = local.by_job["EmptyRuns"] },
  ]

  widgets = concat(
    [{
      type       = "alarm"
      x          = 0
      y          = 0
      width      = 24
      height     = 3
      properties = { title = "Alarms", alarms = slice(local.alarms[*].arn, 0, min(100, length(local.alarms))) } # CloudWatch shows no more
    }],
    [
      # A graph without a metric is one that CloudWatch refuses.
      for index, graph in [for graph in local.graphs : graph if length(graph.metrics) > 0] : {
        type   = "metric"
        x      = 12 * (index % 2)
        y      = 3 + 6 * floor(index / 2)
        width  = 12
        height = 6
        properties = {
          title   = graph.title
          region  = data.aws_region.current.id
          view    = "timeSeries"
          stat    = graph.stat
          period  = 300
          metrics = graph.metrics
          yAxis   = { left = { min = 0 } }
        }
      }
    ],
  )
}

data "aws_region" "current" {}

resource "aws_cloudwatch_dashboard" "this" {
  dashboard_name = var.name
  dashboard_body = jsonencode({ start = "-P7D", periodOverride = "inherit", widgets = local.widgets })
}
