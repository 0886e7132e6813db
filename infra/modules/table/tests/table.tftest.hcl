# The table as it comes, and what can be changed about it.

mock_provider "aws" {
  source = "./tests/mocks"
}

run "as_it_comes" {
  # The schema.

  assert {
    condition     = aws_dynamodb_table.this.name == "glue-watermarks"
    error_message = "The table should be called glue-watermarks unless told otherwise."
  }

  assert {
    condition     = aws_dynamodb_table.this.hash_key == "jobName" && aws_dynamodb_table.this.range_key == "runId"
    error_message = "The keys should be jobName and runId, as in the tables that platforms already have."
  }

  assert {
    condition = { for attribute in aws_dynamodb_table.this.attribute : attribute.name => attribute.type } == {
      jobName    = "S"
      runId      = "S"
      recordedAt = "S"
      stateOf    = "S"
    }
    error_message = "Exactly the attributes of keys should be declared, all of them strings."
  }

  assert {
    condition = one([
      for index in aws_dynamodb_table.this.global_secondary_index :
      "${index.hash_key} ${index.range_key} ${index.projection_type}" if index.name == "runs-by-time"
    ]) == "jobName recordedAt ALL"
    error_message = "runs-by-time should order a job's runs by recordedAt and project everything."
  }

  assert {
    condition = one([
      for index in aws_dynamodb_table.this.global_secondary_index :
      index.hash_key == "stateOf" && index.range_key == null && index.projection_type == "INCLUDE"
      if index.name == "latest-by-job"
    ])
    error_message = "latest-by-job should be keyed by stateOf alone and project chosen attributes."
  }

  assert {
    condition = one([
      for index in aws_dynamodb_table.this.global_secondary_index : index.non_key_attributes
      if index.name == "latest-by-job"
    ]) == toset(["latestRunId", "version", "lastBatchId", "updatedAt", "watermarks", "watermarkTypes"])
    error_message = "latest-by-job should project what a list of jobs shows, and not sources."
  }

  assert {
    condition     = length(aws_dynamodb_table.this.global_secondary_index) == 2
    error_message = "There should be two indexes."
  }

  # Protection.

  assert {
    condition     = aws_dynamodb_table.this.deletion_protection_enabled
    error_message = "Deletion protection should be on by default."
  }

  assert {
    condition     = one(aws_dynamodb_table.this.point_in_time_recovery).enabled
    error_message = "Point-in-time recovery should be on by default."
  }

  assert {
    condition     = one(aws_dynamodb_table.this.server_side_encryption).enabled
    error_message = "Encryption with a KMS key should be on by default."
  }

  assert {
    condition = (
      one(aws_dynamodb_table.this.ttl).enabled &&
      one(aws_dynamodb_table.this.ttl).attribute_name == "expiresAt"
    )
    error_message = "Items should expire at expiresAt."
  }

  assert {
    condition     = aws_dynamodb_table.this.billing_mode == "PAY_PER_REQUEST"
    error_message = "The table should be billed on demand."
  }

  assert {
    condition     = length(aws_iam_policy.this) == 0
    error_message = "Managed policies should be created only when asked for."
  }

  # Addresses.

  assert {
    condition     = output.console_url == "https://eu-west-2.console.aws.amazon.com/dynamodbv2/home?region=eu-west-2#item-explorer?table=glue-watermarks"
    error_message = "console_url should open the table's items, in the table's Region."
  }

  assert {
    condition = output.index_arns == {
      "runs-by-time"  = "arn:aws:dynamodb:eu-west-2:123456789012:table/glue-watermarks/index/runs-by-time"
      "latest-by-job" = "arn:aws:dynamodb:eu-west-2:123456789012:table/glue-watermarks/index/latest-by-job"
    }
    error_message = "index_arns should be those of the two indexes."
  }
}

run "as_told" {
  command = plan

  variables {
    name                   = "repairs.watermarks_dev-1"
    kms_key_arn            = "arn:aws:kms:eu-west-2:123456789012:key/mrk-1234abcd12ab34cd56ef1234567890ab"
    point_in_time_recovery = false
    deletion_protection    = false
    tags                   = { Team = "data-platform" }
  }

  assert {
    condition     = aws_dynamodb_table.this.name == "repairs.watermarks_dev-1"
    error_message = "The name should be the one given."
  }

  assert {
    condition     = one(aws_dynamodb_table.this.server_side_encryption).kms_key_arn == var.kms_key_arn
    error_message = "The table should be encrypted with the key given."
  }

  assert {
    condition = !(
      aws_dynamodb_table.this.deletion_protection_enabled ||
      one(aws_dynamodb_table.this.point_in_time_recovery).enabled
    )
    error_message = "Protection should be off when it is turned off."
  }

  assert {
    condition     = aws_dynamodb_table.this.tags == tomap({ Team = "data-platform" })
    error_message = "The table should have the tags given."
  }
}

run "null_means_the_default" {
  command = plan

  variables {
    name                   = null
    point_in_time_recovery = null
    deletion_protection    = null
    job_names              = null
    tags                   = null
  }

  assert {
    condition = (
      aws_dynamodb_table.this.name == "glue-watermarks" &&
      aws_dynamodb_table.this.deletion_protection_enabled &&
      one(aws_dynamodb_table.this.point_in_time_recovery).enabled
    )
    error_message = "A null passed on by a calling module should not take protection away."
  }
}
