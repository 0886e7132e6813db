# What the test on an emulator turns off (tests/infra), because an emulator has no TLS and the provider waits for a minute:
# that it is on otherwise.

mock_provider "aws" {
  mock_data "aws_iam_policy_document" {
    defaults = {
      json = "{\"Version\": \"2012-10-17\", \"Statement\": []}"
    }
  }
}

variables {
  wheel_path = "../../modules/glue-job/tests/files/glue_watermarks-1.2.3-py3-none-any.whl"
}

run "as_it_comes" {
  command = plan

  assert {
    condition     = length(aws_s3_bucket_policy.data) == 1
    error_message = "The bucket should refuse connections without TLS."
  }

  assert {
    condition = (
      one(one(aws_s3_bucket_lifecycle_configuration.data[0].rule).noncurrent_version_expiration).noncurrent_days == 30 &&
      one(one(aws_s3_bucket_lifecycle_configuration.data[0].rule).abort_incomplete_multipart_upload).days_after_initiation == 7
    )
    error_message = "What was overwritten, and what was never finished, should not be paid for long."
  }
}
