# What AWS would answer, as far as the module looks at it.

mock_data "aws_region" {
  defaults = {
    id = "eu-west-2"
  }
}

mock_data "aws_iam_policy_document" {
  defaults = {
    json = "{\"Version\": \"2012-10-17\", \"Statement\": []}"
  }
}

mock_resource "aws_sns_topic" {
  defaults = {
    arn = "arn:aws:sns:eu-west-2:123456789012:glue-watermarks"
  }
}

mock_resource "aws_cloudwatch_event_rule" {
  defaults = {
    arn = "arn:aws:events:eu-west-2:123456789012:rule/glue-watermarks-ended-badly"
  }
}

mock_resource "aws_cloudwatch_metric_alarm" {
  defaults = {
    arn = "arn:aws:cloudwatch:eu-west-2:123456789012:alarm:mocked"
  }
}
