# What the module refuses before it asks AWS for anything. Each value has to be refused for itself.

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

run "wrong_words" {
  command = plan

  variables {
    name               = "repairs load"
    script_path        = "./tests/files/missing.py"
    wheel_paths        = []
    artifacts_bucket   = "s3://artifacts/jobs"
    artifacts_prefix   = "/jobs"
    source_paths       = ["s3://landing"]
    target_paths       = ["lake/repairs"]
    role_name          = "repairs/load"
    further_policies   = { watermarks = "{}" }
    glue_version       = "3.0"
    worker_type        = "Standard"
    number_of_workers  = 1
    execution_class    = "flex"
    timeout_minutes    = 0
    max_retries        = 11
    bookmark_option    = "enable"
    arguments          = { source = "s3://landing" }
    secret_arns        = ["housing"]
    kms_key_arn        = "alias/housing"
    log_retention_days = 31
    schedule           = "0 2 * * *"
    after_jobs         = { "stock-load" = "DONE" }
    tags               = { "aws:owner" = "data-platform" }
  }

  expect_failures = [
    var.name, var.script_path, var.wheel_paths, var.artifacts_bucket, var.artifacts_prefix, var.source_paths,
    var.target_paths, var.role_name, var.further_policies, var.glue_version, var.worker_type, var.number_of_workers,
    var.execution_class, var.timeout_minutes, var.max_retries, var.bookmark_option, var.arguments, var.secret_arns,
    var.kms_key_arn, var.log_retention_days, var.schedule, var.after_jobs, var.tags,
  ]
}

run "wildcards_and_fractions" {
  command = plan

  variables {
    name                   = "repairs-*"
    script_path            = "./tests/files/glue_watermarks-1.2.3-py3-none-any.whl"
    wheel_paths            = ["./tests/files/glue_watermarks-latest.whl"]
    watermarks_policy_json = "job"
    source_paths           = ["s3://landing/*"]
    target_paths           = ["s3://lake/$${aws:username}"]
    number_of_workers      = 2.5
    timeout_minutes        = 1.5
    max_retries            = 0.5
    connections            = ["*"]
    secret_arns            = ["arn:aws:secretsmanager:eu-west-2:123456789012:secret:*"]
    security_configuration = "*"
    pip_options            = "boto3"
    schedule               = "cron(0 2 * * ?)"
  }

  expect_failures = [
    var.name, var.script_path, var.wheel_paths, var.watermarks_policy_json, var.source_paths, var.target_paths,
    var.number_of_workers, var.timeout_minutes, var.max_retries, var.connections, var.secret_arns,
    var.security_configuration, var.pip_options, var.schedule,
  ]
}

run "secrets_in_arguments" {
  command = plan

  variables {
    arguments   = { "--db_password" = "hunter2" }
    pip_options = "--index-url https://user:hunter2@pypi.example.org/simple"
    wheel_paths = ["./tests/files/missing/glue_watermarks-1.2.3-py3-none-any.whl"]
    schedule    = "cron(0 2 * * * *)"
  }

  expect_failures = [var.arguments, var.pip_options, var.wheel_paths, var.schedule]
}

run "arguments_of_glue_and_hours_that_no_clock_has" {
  command = plan

  variables {
    arguments   = { "--JOB_NAME" = "stock-load" }
    schedule    = "cron(0 24 * * ? *)"
    wheel_paths = ["./tests/files/pynamodb-6.0.1-1-py3-none-any.whl"]
  }

  expect_failures = [var.arguments, var.schedule, var.wheel_paths]
}

run "too_often" {
  command = plan

  variables {
    schedule = "cron(0/1 * * * ? *)"
  }

  expect_failures = [var.schedule]
}

run "month_zero" {
  command = plan

  variables {
    schedule = "cron(0 2 1,15 0-6 ? *)"
  }

  expect_failures = [var.schedule]
}

run "what_the_module_sets_itself" {
  command = plan

  variables {
    arguments = { "--source" = "s3://landing/repairs", "--job-bookmark-option" = "job-bookmark-disable" }
  }

  expect_failures = [aws_glue_job.this]
}

run "also_where_it_does_not_pass_it" {
  command = plan

  variables {
    arguments = { "--python-modules-installer-option" = "--upgrade" }
  }

  expect_failures = [aws_glue_job.this]
}

run "spare_capacity_for_large_workers" {
  command = plan

  variables {
    execution_class = "FLEX"
    worker_type     = "G.4X"
  }

  expect_failures = [aws_glue_job.this]
}

run "but_not_what_glue_allows" {
  command = plan

  variables {
    name                   = "Repairs.load_2"
    schedule               = "cron(5,35 8-17/2 ? JAN,JUL-DEC MON-FRI 2026-2199)"
    arguments              = { "--secret_name" = "housing", "--tokens_per_second" = "5", "--conf" = "spark.sql.shuffle.partitions=8" }
    worker_type            = "G.8X"
    pip_options            = "--index-url https://pypi.example.org/simple"
    watermarks_policy_json = "{\"Statement\": [{\"Action\": [\"dynamodb:PutItem\"], \"Condition\": {\"ForAllValues:StringEquals\": {\"dynamodb:LeadingKeys\": [\"Repairs.load_2\"]}}}]}"
  }

  assert {
    condition     = aws_glue_trigger.schedule[0].schedule == var.schedule
    error_message = "Lists, ranges, steps and names are parts of a schedule."
  }
}
