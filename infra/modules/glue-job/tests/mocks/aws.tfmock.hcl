# What AWS would answer, as far as the module looks at it.

mock_resource "aws_cloudwatch_log_group" {
  defaults = {
    arn = "arn:aws:logs:eu-west-2:123456789012:log-group:/aws-glue/jobs/repairs-load/output"
  }
}

mock_resource "aws_iam_role" {
  defaults = {
    arn = "arn:aws:iam::123456789012:role/repairs-load"
  }
}

mock_data "aws_iam_policy_document" {
  defaults = {
    json = "{\"Version\": \"2012-10-17\", \"Statement\": []}"
  }
}
