# What the role's policy is made of. The JSON that comes of it is tried by tests/infra, as IAM would read it.

mock_provider "aws" {
  source = "./tests/mocks"
}

variables {
  name                   = "repairs-load"
  script_path            = "./tests/files/job.py"
  wheel_paths            = ["./tests/files/glue_watermarks-1.2.3-py3-none-any.whl"]
  artifacts_bucket       = "artifacts"
  watermarks_policy_json = "{\"Statement\": [{\"Action\": \"dynamodb:PutItem\", \"Condition\": {\"ForAllValues:StringEquals\": {\"dynamodb:LeadingKeys\": \"repairs-load\"}}}]}"
}

run "as_it_comes" {
  assert {
    condition = { for s in data.aws_iam_policy_document.job.statement : s.sid => s.actions } == {
      ReadScriptAndWheels = toset(["s3:GetObject"])
      WriteOwnLogs        = toset(["logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"])
      PublishMetrics      = toset(["cloudwatch:PutMetricData"])
    }
    error_message = "Without sources, targets, connections and keys, a role should read its files, log and publish metrics."
  }

  assert {
    condition = one([
      for s in data.aws_iam_policy_document.job.statement : s.resources if s.sid == "ReadScriptAndWheels"
      ]) == toset([
      for uri in concat([output.script_uri], output.wheel_uris) : replace(uri, "s3://", "arn:aws:s3:::")
    ])
    error_message = "A role should read exactly the files of its job."
  }

  assert {
    condition = one([
      for s in data.aws_iam_policy_document.job.statement : s.resources if s.sid == "WriteOwnLogs"
      ]) == toset([
      "arn:aws:logs:eu-west-2:123456789012:log-group:/aws-glue/jobs/repairs-load/error",
      "arn:aws:logs:eu-west-2:123456789012:log-group:/aws-glue/jobs/repairs-load/error:*",
      "arn:aws:logs:eu-west-2:123456789012:log-group:/aws-glue/jobs/repairs-load/output",
      "arn:aws:logs:eu-west-2:123456789012:log-group:/aws-glue/jobs/repairs-load/output:*",
    ])
    error_message = "A role should log to its job's own groups only."
  }

  assert {
    condition = one([
      for s in data.aws_iam_policy_document.job.statement : [
        for c in s.condition : "${c.test} ${c.variable} ${join(" ", c.values)}"
      ] if s.sid == "PublishMetrics"
    ]) == ["StringEquals cloudwatch:namespace Glue GlueWatermarks"]
    error_message = "Metrics should be held to the package's namespace and Glue's."
  }

  assert {
    condition = (
      one(data.aws_iam_policy_document.trust.statement).actions == toset(["sts:AssumeRole"]) &&
      one(one(data.aws_iam_policy_document.trust.statement).principals).identifiers == toset(["glue.amazonaws.com"])
    )
    error_message = "Glue alone should assume the role."
  }

  assert {
    condition     = aws_iam_role_policy.watermarks.policy == var.watermarks_policy_json
    error_message = "What the role may do with watermarks should be what the table's module says."
  }
}

run "sources_and_targets" {
  variables {
    source_paths = ["s3://landing/housing/repairs/", "s3://landing/housing/trades"]
    target_paths = ["s3://lake/repairs"]
  }

  assert {
    condition = {
      for s in data.aws_iam_policy_document.job.statement : s.sid => s.resources if contains(["ReadSources", "ReadAndWriteTargets"], s.sid)
      } == {
      ReadSources         = toset(["arn:aws:s3:::landing/housing/repairs/*", "arn:aws:s3:::landing/housing/trades/*"])
      ReadAndWriteTargets = toset(["arn:aws:s3:::lake/repairs/*", "arn:aws:s3:::lake/repairs_$folder$"])
    }
    error_message = "A role should reach what is below the folders given, with a slash or without, and no neighbour of theirs."
  }

  assert {
    condition = one([
      for s in data.aws_iam_policy_document.job.statement : s.actions if s.sid == "ReadSources"
    ]) == toset(["s3:GetObject"])
    error_message = "Sources should be read only."
  }

  assert {
    condition = toset([
      for s in data.aws_iam_policy_document.job.statement : "${one(s.resources)} ${join(" ", one(s.condition).values)}"
      if contains(s.actions, "s3:ListBucket")
      ]) == toset([
      "arn:aws:s3:::landing housing/repairs housing/repairs/* housing/repairs_$folder$",
      "arn:aws:s3:::landing housing/trades housing/trades/* housing/trades_$folder$",
      "arn:aws:s3:::lake repairs repairs/* repairs_$folder$",
    ])
    error_message = "A role should list the folders given and not the whole bucket."
  }
}

run "connections_secrets_and_keys" {
  variables {
    connections            = ["housing"]
    secret_arns            = ["arn:aws:secretsmanager:eu-west-2:123456789012:secret:housing-AbCdEf"]
    kms_key_arn            = "arn:aws:kms:eu-west-2:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab"
    security_configuration = "encrypted"
    further_policies       = { catalog = "{\"Version\": \"2012-10-17\", \"Statement\": []}" }
  }

  assert {
    condition = {
      for s in data.aws_iam_policy_document.job.statement : s.sid => s.resources
      if contains(["UseConnections", "ReadSecrets", "UseKeyForFiles", "JoinNetwork", "TagOwnNetworkInterfaces", "EncryptOwnLogs"], s.sid)
      } == {
      UseConnections = toset([
        "arn:aws:glue:eu-west-2:123456789012:catalog", "arn:aws:glue:eu-west-2:123456789012:connection/housing",
      ])
      ReadSecrets    = toset(var.secret_arns)
      UseKeyForFiles = toset([var.kms_key_arn])
      JoinNetwork = toset([
        "arn:aws:ec2:eu-west-2:123456789012:network-interface/*",
        "arn:aws:ec2:eu-west-2:123456789012:security-group/*",
        "arn:aws:ec2:eu-west-2:123456789012:subnet/*",
      ])
      TagOwnNetworkInterfaces = toset(["arn:aws:ec2:eu-west-2:123456789012:network-interface/*"])
      EncryptOwnLogs = toset([
        "arn:aws:logs:eu-west-2:123456789012:log-group:/aws-glue/jobs-repairs-load-encrypted/*",
        "arn:aws:logs:eu-west-2:123456789012:log-group:/aws-glue/jobs/repairs-load/*-encrypted",
      ])
    }
    error_message = "Connections, secrets and keys should be those given, in this account and Region."
  }

  assert {
    condition = one([
      for s in data.aws_iam_policy_document.job.statement : one(s.condition).values if s.sid == "UseKeyForFiles"
    ]) == tolist(["s3.eu-west-2.amazonaws.com"])
    error_message = "The key should be used through S3 only."
  }

  assert {
    condition = toset(flatten([
      for s in data.aws_iam_policy_document.job.statement : tolist(s.actions) if contains(s.resources, "*")
      ])) == toset([
      "cloudwatch:PutMetricData", "ec2:DescribeNetworkInterfaces", "ec2:DescribeRouteTables",
      "ec2:DescribeSecurityGroups", "ec2:DescribeSubnets", "ec2:DescribeVpcAttribute", "ec2:DescribeVpcEndpoints",
    ])
    error_message = "Only what knows no resource should have every resource: metrics, and looking at the network."
  }

  assert {
    condition     = { for name, policy in aws_iam_role_policy.this : name => policy.name } == { catalog = "catalog", job = "job" }
    error_message = "Further policies should be the role's too."
  }
}

run "glue_4_logs_to_shared_groups" {
  variables {
    glue_version = "4.0"
  }

  assert {
    condition = toset([
      for arn in one([for s in data.aws_iam_policy_document.job.statement : s.resources if s.sid == "WriteOwnLogs"]) :
      split(":", arn)[6]
      ]) == toset([
      "/aws-glue/jobs/error", "/aws-glue/jobs/logs-v2", "/aws-glue/jobs/output",
      "/aws-glue/jobs/repairs-load/error", "/aws-glue/jobs/repairs-load/output",
    ])
    error_message = "Glue 4 also writes to groups that all jobs share."
  }
}

run "a_policy_for_another_job" {
  command = plan

  variables {
    watermarks_policy_json = "{\"Statement\": [{\"Action\": \"dynamodb:PutItem\", \"Condition\": {\"ForAllValues:StringEquals\": {\"dynamodb:LeadingKeys\": \"stock-load\"}}}]}"
  }

  expect_failures = [aws_iam_role_policy.watermarks]
}

run "a_policy_for_several_jobs" {
  command = plan

  variables {
    watermarks_policy_json = "{\"Statement\": [{\"Action\": \"dynamodb:PutItem\", \"Condition\": {\"ForAllValues:StringEquals\": {\"dynamodb:LeadingKeys\": [\"repairs-load\", \"stock-load\"]}}}]}"
  }

  expect_failures = [aws_iam_role_policy.watermarks]
}

run "a_policy_with_one_statement_for_every_job" {
  command = plan

  variables {
    watermarks_policy_json = "{\"Statement\": [{\"Action\": \"dynamodb:PutItem\", \"Condition\": {\"ForAllValues:StringEquals\": {\"dynamodb:LeadingKeys\": \"repairs-load\"}}}, {\"Action\": [\"dynamodb:Query\"]}]}"
  }

  expect_failures = [aws_iam_role_policy.watermarks]
}

run "a_policy_for_no_item" {
  command = plan

  variables {
    watermarks_policy_json = "{\"Statement\": [{\"Action\": \"dynamodb:DescribeTable\"}]}"
  }

  expect_failures = [aws_iam_role_policy.watermarks]
}

run "a_target_above_the_scripts" {
  command = plan

  variables {
    artifacts_prefix = "platform/jobs"
    target_paths     = ["s3://lake/platform", "s3://artifacts/platform"]
  }

  expect_failures = [aws_iam_role_policy.this]
}

run "a_target_among_the_scripts" {
  command = plan

  variables {
    target_paths = ["s3://artifacts/glue-jobs/stock-load"]
  }

  expect_failures = [aws_iam_role_policy.this]
}

run "but_not_a_target_beside_the_scripts" {
  command = plan

  variables {
    target_paths = ["s3://artifacts/glue-jobs-output"]
  }

  assert {
    condition     = length(local.overlapping_targets) == 0
    error_message = "A folder whose name only begins like theirs is another folder."
  }
}
