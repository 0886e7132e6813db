# What the policies are made of. The JSON that comes of it is tried by tests/infra, as IAM would read it.

mock_provider "aws" {
  source = "./tests/mocks"
}

variables {
  job_names = ["stock-load", "repairs-load"]
}

run "three_roles" {
  # job

  assert {
    condition = { for s in data.aws_iam_policy_document.job["*"].statement : s.sid => s.actions } == {
      ReadAndCommitOwnWatermarks = toset([
        "dynamodb:ConditionCheckItem",
        "dynamodb:GetItem",
        "dynamodb:PutItem",
        "dynamodb:Query",
        "dynamodb:UpdateItem",
      ])
      ReadOwnHistory          = toset(["dynamodb:Query"])
      DescribeTable           = toset(["dynamodb:DescribeTable"])
      PublishWatermarkMetrics = toset(["cloudwatch:PutMetricData"])
    }
    error_message = "A job should read, commit and publish metrics, and nothing else."
  }

  assert {
    condition = { for s in data.aws_iam_policy_document.job["*"].statement : s.sid => s.resources } == {
      ReadAndCommitOwnWatermarks = toset([output.arn])
      ReadOwnHistory             = toset(["${output.arn}/index/runs-by-time"])
      DescribeTable              = toset([output.arn])
      PublishWatermarkMetrics    = toset(["*"])
    }
    error_message = "A job should reach the table and runs-by-time, and not latest-by-job, which shows every job."
  }

  assert {
    condition = alltrue([
      for s in data.aws_iam_policy_document.job["*"].statement : {
        for c in s.condition : c.test => "${c.variable}: ${join(", ", c.values)}"
        } == {
        "ForAllValues:StringEquals" = "dynamodb:LeadingKeys: repairs-load, stock-load"
        "Null"                      = "dynamodb:LeadingKeys: false"
      }
      if !contains(["DescribeTable", "PublishWatermarkMetrics"], s.sid)
    ])
    error_message = "A job should reach only the keys of the jobs named, and no request without a key should pass."
  }

  assert {
    condition = alltrue([
      for policy in values(data.aws_iam_policy_document.job) : flatten([
        for s in policy.statement : [
          for c in s.condition : "${c.test} ${c.variable} ${join(" ", c.values)}"
        ] if s.sid == "PublishWatermarkMetrics"
      ]) == ["StringEquals cloudwatch:namespace GlueWatermarks"]
    ])
    error_message = "A job's metrics should be held to the package's namespace."
  }

  assert {
    condition     = keys(output.job_policy_json_by_job) == ["repairs-load", "stock-load"]
    error_message = "There should be a policy for each job."
  }

  assert {
    condition = alltrue(flatten([
      for name in var.job_names : [
        for s in data.aws_iam_policy_document.job[name].statement : [
          for c in s.condition : c.values == tolist([name]) if c.test == "ForAllValues:StringEquals"
        ]
      ]
    ]))
    error_message = "The policy of a job should name just that job."
  }

  # reader

  assert {
    condition = { for s in data.aws_iam_policy_document.reader.statement : s.sid => s.actions } == {
      ReadItems            = toset(["dynamodb:BatchGetItem", "dynamodb:GetItem"])
      QueryTableAndIndexes = toset(["dynamodb:Query"])
      ListJobs             = toset(["dynamodb:Scan"])
      DescribeTable = toset([
        "dynamodb:DescribeContinuousBackups",
        "dynamodb:DescribeTable",
        "dynamodb:DescribeTimeToLive",
      ])
    }
    error_message = "A reader should inspect everything and change nothing."
  }

  assert {
    condition = one([
      for s in data.aws_iam_policy_document.reader.statement : s.resources if contains(s.actions, "dynamodb:Scan")
    ]) == toset(["${output.arn}/index/latest-by-job"])
    error_message = "A reader should scan latest-by-job and nothing else."
  }

  # operator

  assert {
    condition     = data.aws_iam_policy_document.operator.source_policy_documents == tolist([output.reader_policy_json])
    error_message = "An operator should be a reader first."
  }

  assert {
    condition = one(data.aws_iam_policy_document.operator.statement).actions == toset([
      "dynamodb:ConditionCheckItem",
      "dynamodb:PutItem",
      "dynamodb:UpdateItem",
    ])
    error_message = "An operator should change watermarks and delete nothing."
  }

  assert {
    condition     = one(data.aws_iam_policy_document.operator.statement).resources == toset([output.arn])
    error_message = "An operator should change this table alone."
  }
}

run "no_jobs_no_job_policy" {
  variables {
    job_names       = []
    create_policies = true
  }

  assert {
    condition     = output.job_policy_json == null && length(output.job_policy_json_by_job) == 0
    error_message = "Without jobs there should be no job policy, rather than one that lets every job in."
  }

  assert {
    condition     = keys(output.policy_arns) == ["operator", "reader"]
    error_message = "Without jobs there should be no managed job policy."
  }
}

run "no_metrics" {
  variables {
    publish_metrics = false
  }

  assert {
    condition = alltrue([
      for policy in values(data.aws_iam_policy_document.job) : alltrue([
        for s in policy.statement : !contains(s.actions, "cloudwatch:PutMetricData")
      ])
    ])
    error_message = "Without publish_metrics no job should publish any."
  }
}

run "own_key" {
  variables {
    kms_key_arn = "arn:aws:kms:eu-west-2:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab"
  }

  assert {
    condition = one([
      for s in data.aws_iam_policy_document.reader.statement : s.actions if contains(s.resources, var.kms_key_arn)
    ]) == toset(["kms:Decrypt"])
    error_message = "A reader should decrypt with the key, and not encrypt."
  }

  assert {
    condition = one([
      for s in data.aws_iam_policy_document.operator.statement : s.actions if contains(s.resources, var.kms_key_arn)
    ]) == toset(["kms:Encrypt", "kms:GenerateDataKey"])
    error_message = "An operator should also write with the key."
  }

  assert {
    condition = alltrue([
      for policy in values(data.aws_iam_policy_document.job) : one([
        for s in policy.statement : s.actions if contains(s.resources, var.kms_key_arn)
      ]) == toset(["kms:Decrypt", "kms:Encrypt", "kms:GenerateDataKey"])
    ])
    error_message = "A job should read and write with the key."
  }

  assert {
    condition = alltrue([
      for s in concat(
        data.aws_iam_policy_document.reader.statement,
        data.aws_iam_policy_document.operator.statement,
        flatten([for policy in values(data.aws_iam_policy_document.job) : policy.statement]),
        ) : [for c in s.condition : "${c.test} ${c.variable} ${join(" ", c.values)}"] == [
        "StringEquals kms:ViaService dynamodb.eu-west-2.amazonaws.com"
      ]
      if contains(s.resources, var.kms_key_arn)
    ])
    error_message = "The key should be used through DynamoDB of the table's Region only."
  }
}

run "managed_policies" {
  variables {
    create_policies    = true
    policy_name_prefix = "watermarks-dev"
    tags               = { Team = "data-platform" }
  }

  assert {
    condition = { for role, policy in aws_iam_policy.this : role => policy.name } == {
      job      = "watermarks-dev-job"
      operator = "watermarks-dev-operator"
      reader   = "watermarks-dev-reader"
    }
    error_message = "There should be a managed policy for each role."
  }

  assert {
    condition     = alltrue([for policy in aws_iam_policy.this : policy.tags == tomap({ Team = "data-platform" })])
    error_message = "The managed policies should have the tags given."
  }
}
