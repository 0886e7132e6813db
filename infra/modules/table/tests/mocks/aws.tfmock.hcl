# What AWS would answer, as far as the module looks at it.

mock_resource "aws_dynamodb_table" {
  defaults = {
    arn = "arn:aws:dynamodb:eu-west-2:123456789012:table/glue-watermarks"
  }
}

mock_data "aws_iam_policy_document" {
  defaults = {
    json = "{\"Version\": \"2012-10-17\", \"Statement\": []}"
  }
}

mock_resource "aws_iam_policy" {
  defaults = {
    arn = "arn:aws:iam::123456789012:policy/mocked"
  }
}
