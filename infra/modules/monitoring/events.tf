# A run whose process was killed (out of memory, timed out) publishes no metric. Glue says so itself, as an event.

resource "aws_cloudwatch_event_rule" "ended_badly" {
  count = length(var.glue_states) == 0 ? 0 : 1

  name        = "${var.name}-ended-badly"
  description = "Runs that Glue says ended as ${join(", ", var.glue_states)}."
  tags        = var.tags

  event_pattern = jsonencode({
    source      = ["aws.glue"]
    detail-type = ["Glue Job State Change"]
    detail = {
      jobName = sort(keys(var.jobs))
      state   = sort(var.glue_states)
    }
  })
}

resource "aws_cloudwatch_event_target" "topic" {
  count = length(aws_cloudwatch_event_rule.ended_badly)

  rule      = aws_cloudwatch_event_rule.ended_badly[0].name
  target_id = "topic"
  arn       = local.topic_arn

  # Without Glue's error message: it may hold data, and a quote in it would break the template.
  input_transformer {
    input_paths = {
      job   = "$.detail.jobName"
      run   = "$.detail.jobRunId"
      state = "$.detail.state"
    }
    input_template = "\"<job>: run <run> ended as <state>. Its logs and, if it could still say so, its item in the watermarks table tell why.\""
  }
}
