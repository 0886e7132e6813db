# The job as it comes, and what can be changed about it.

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
  # Script and wheel.

  assert {
    condition = output.script_uri == format(
      "s3://artifacts/glue-jobs/repairs-load/%s/job.py", substr(filesha256("./tests/files/job.py"), 0, 16)
    )
    error_message = "The script's key should have the job's name, the hash of the content, and the file's own name."
  }

  assert {
    condition = output.wheel_uris == [format(
      "s3://artifacts/glue-jobs/repairs-load/%s/glue_watermarks-1.2.3-py3-none-any.whl",
      substr(filesha256("./tests/files/glue_watermarks-1.2.3-py3-none-any.whl"), 0, 16)
    )]
    error_message = "A wheel should keep its name, which pip reads."
  }

  assert {
    condition = (
      one(aws_glue_job.this.command).script_location == output.script_uri &&
      one(aws_glue_job.this.command).name == "glueetl" &&
      one(aws_glue_job.this.command).python_version == "3"
    )
    error_message = "The job should run the script that was uploaded, on Spark, with Python 3."
  }

  # The job.

  assert {
    condition = aws_glue_job.this.default_arguments == tomap({
      "--job-language"                     = "python"
      "--job-bookmark-option"              = "job-bookmark-enable"
      "--additional-python-modules"        = output.wheel_uris[0]
      "--enable-auto-scaling"              = "true"
      "--enable-metrics"                   = "true"
      "--enable-observability-metrics"     = "true"
      "--enable-continuous-cloudwatch-log" = "true"
      "--custom-logGroup-prefix"           = "/aws-glue/jobs/repairs-load"
    })
    error_message = "The arguments should install the wheel, turn on bookmarks, auto scaling, logs and metrics, and nothing else."
  }

  assert {
    condition     = one(aws_glue_job.this.execution_property).max_concurrent_runs == 1
    error_message = "Two runs of a job must not run at the same time."
  }

  assert {
    condition = (
      aws_glue_job.this.glue_version == "5.0" && aws_glue_job.this.worker_type == "G.1X" &&
      aws_glue_job.this.number_of_workers == 2 && aws_glue_job.this.execution_class == "STANDARD" &&
      aws_glue_job.this.timeout == 120 && aws_glue_job.this.max_retries == 1
    )
    error_message = "The job should be a small one on Glue 5, with a timeout, and be tried twice."
  }

  assert {
    condition     = aws_glue_job.this.role_arn == output.role_arn && aws_iam_role.this.name == "repairs-load"
    error_message = "The job should have a role of its own."
  }

  # Logs.

  assert {
    condition = output.log_group_names == {
      error  = "/aws-glue/jobs/repairs-load/error"
      output = "/aws-glue/jobs/repairs-load/output"
    }
    error_message = "The log groups should be those that Glue makes of the prefix in the arguments."
  }

  assert {
    condition     = alltrue([for group in aws_cloudwatch_log_group.this : group.retention_in_days == 365])
    error_message = "Logs should expire."
  }
}

run "other_content_is_another_object" {
  command = plan

  variables {
    script_path = "./tests/files/changed/job.py"
  }

  assert {
    condition     = output.script_uri != run.as_it_comes.script_uri && endswith(output.script_uri, "/job.py")
    error_message = "A changed script should have another key, so that the job's definition changes."
  }

  assert {
    condition     = output.wheel_uris == run.as_it_comes.wheel_uris
    error_message = "What did not change should keep its key."
  }
}

run "as_told" {
  command = plan

  variables {
    description            = "Loads repairs."
    wheel_paths            = ["./tests/files/glue_watermarks-1.2.3-py3-none-any.whl", "./tests/files/pynamodb-6.0.1-1-py3-none-any.whl"]
    pip_options            = "--no-index --no-deps"
    artifacts_prefix       = "platform/jobs"
    role_name              = "glue-repairs"
    glue_version           = "5.1"
    worker_type            = "G.2X"
    number_of_workers      = 10
    auto_scaling           = false
    execution_class        = "FLEX"
    timeout_minutes        = 30
    max_retries            = 0
    bookmark_option        = "job-bookmark-pause"
    arguments              = { "--source" = "s3://landing/repairs", "--enable-spark-ui" = "true" }
    connections            = ["housing"]
    security_configuration = "housing-encryption"
    kms_key_arn            = "arn:aws:kms:eu-west-2:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab"
    log_retention_days     = 30
    tags                   = { Team = "data-platform" }
  }

  assert {
    condition = (
      aws_glue_job.this.glue_version == "5.1" && aws_glue_job.this.worker_type == "G.2X" &&
      aws_glue_job.this.number_of_workers == 10 && aws_glue_job.this.execution_class == "FLEX" &&
      aws_glue_job.this.timeout == 30 && aws_glue_job.this.max_retries == 0 &&
      aws_glue_job.this.description == "Loads repairs." &&
      aws_glue_job.this.connections == tolist(["housing"]) &&
      aws_glue_job.this.security_configuration == "housing-encryption"
    )
    error_message = "The job should be as told."
  }

  assert {
    condition = { for name, value in aws_glue_job.this.default_arguments : name => value if contains([
      "--additional-python-modules", "--python-modules-installer-option", "--enable-auto-scaling",
      "--job-bookmark-option", "--source", "--enable-spark-ui",
      ], name) } == {
      "--additional-python-modules"       = join(",", output.wheel_uris)
      "--python-modules-installer-option" = "--no-index --no-deps"
      "--enable-auto-scaling"             = "false"
      "--job-bookmark-option"             = "job-bookmark-pause"
      "--source"                          = "s3://landing/repairs"
      "--enable-spark-ui"                 = "true"
    }
    error_message = "The arguments should be as told, the script's own among them."
  }

  assert {
    condition = (
      length(output.wheel_uris) == 2 && startswith(output.wheel_uris[0], "s3://artifacts/platform/jobs/repairs-load/") &&
      endswith(output.wheel_uris[1], "/pynamodb-6.0.1-1-py3-none-any.whl")
    )
    error_message = "Further wheels should be uploaded and installed too, in the order given."
  }

  assert {
    condition     = aws_iam_role.this.name == "glue-repairs"
    error_message = "The role should have the name given."
  }

  assert {
    condition = alltrue([
      for group in aws_cloudwatch_log_group.this : group.retention_in_days == 30 && group.kms_key_id == var.kms_key_arn
    ])
    error_message = "The log groups should expire and be encrypted as told."
  }

  assert {
    condition = alltrue([
      for tags in concat(
        [aws_glue_job.this.tags, aws_iam_role.this.tags],
        [for file in aws_s3_object.file : file.tags],
        [for group in aws_cloudwatch_log_group.this : group.tags],
        [for trigger in aws_glue_trigger.on_demand : trigger.tags],
      ) : tags == tomap({ Team = "data-platform" })
    ])
    error_message = "Everything should have the tags given."
  }
}

run "glue_4" {
  command = plan

  variables {
    glue_version = "4.0"
  }

  assert {
    condition = (
      aws_glue_job.this.default_arguments["--continuous-log-logGroup"] == "/aws-glue/jobs/repairs-load/output" &&
      !contains(keys(aws_glue_job.this.default_arguments), "--custom-logGroup-prefix")
    )
    error_message = "Glue 4 should log to the job's own group by the argument that it knows."
  }
}
