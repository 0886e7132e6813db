# The watermarks table. Its schema is a contract with scripts/helpers/watermarks: `Watermarks.create_table`
# makes the same one for local use, and a test compares the two.

locals {
  runs_by_time  = "runs-by-time"
  latest_by_job = "latest-by-job"
}

resource "aws_dynamodb_table" "this" {
  name         = var.name
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "jobName"
  range_key    = "runId"

  attribute {
    name = "jobName"
    type = "S"
  }

  attribute {
    name = "runId"
    type = "S"
  }

  attribute {
    name = "recordedAt"
    type = "S"
  }

  attribute {
    name = "stateOf"
    type = "S"
  }

  # A job's history, newest first.
  global_secondary_index {
    name            = local.runs_by_time
    hash_key        = "jobName"
    range_key       = "recordedAt"
    projection_type = "ALL"
  }

  # Only state items have `stateOf`, so this holds one entry per job: every job, without reading any history.
  global_secondary_index {
    name            = local.latest_by_job
    hash_key        = "stateOf"
    projection_type = "INCLUDE"
    non_key_attributes = [
      "latestRunId",
      "version",
      "lastBatchId",
      "updatedAt",
      "watermarks",
      "watermarkTypes",
    ]
  }

  # Only what was written with a retention has `expiresAt`; everything else stays.
  ttl {
    enabled        = true
    attribute_name = "expiresAt"
  }

  # Without a key of one's own, `enabled` selects the key that AWS manages for DynamoDB in this account.
  server_side_encryption {
    enabled     = true
    kms_key_arn = var.kms_key_arn
  }

  point_in_time_recovery {
    enabled = var.point_in_time_recovery
  }

  deletion_protection_enabled = var.deletion_protection

  tags = var.tags
}
