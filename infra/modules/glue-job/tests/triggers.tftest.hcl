# What starts the job.

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

run "by_hand" {
  command = plan

  assert {
    condition     = output.trigger_names == { on_demand = "repairs-load-on-demand" }
    error_message = "Unless told otherwise, a job should start by hand only."
  }

  assert {
    condition = (
      aws_glue_trigger.on_demand[0].type == "ON_DEMAND" &&
      one(aws_glue_trigger.on_demand[0].actions).job_name == "repairs-load"
    )
    error_message = "The trigger should start this job on demand."
  }

  assert {
    condition     = !aws_glue_trigger.on_demand[0].enabled
    error_message = "An enabled on-demand trigger is fired by the provider: `terraform apply` would run the job."
  }
}

run "by_schedule" {
  command = plan

  variables {
    schedule          = "cron(30 2 ? * MON-FRI *)"
    on_demand_trigger = false
  }

  assert {
    condition     = output.trigger_names == { schedule = "repairs-load-schedule" }
    error_message = "There should be the schedule's trigger alone."
  }

  assert {
    condition = (
      aws_glue_trigger.schedule[0].type == "SCHEDULED" && aws_glue_trigger.schedule[0].enabled &&
      aws_glue_trigger.schedule[0].schedule == "cron(30 2 ? * MON-FRI *)" &&
      one(aws_glue_trigger.schedule[0].actions).job_name == "repairs-load"
    )
    error_message = "The trigger should start this job by the schedule."
  }
}

run "after_other_jobs" {
  command = plan

  variables {
    after_jobs = { "stock-load" = "SUCCEEDED", "prices-load" = "FAILED" }
    after_any  = true
  }

  assert {
    condition = (
      aws_glue_trigger.after_jobs[0].type == "CONDITIONAL" && aws_glue_trigger.after_jobs[0].enabled &&
      one(aws_glue_trigger.after_jobs[0].actions).job_name == "repairs-load"
    )
    error_message = "The trigger should start this job on a condition."
  }

  assert {
    condition = {
      for condition in one(aws_glue_trigger.after_jobs[0].predicate).conditions :
      condition.job_name => "${condition.logical_operator} ${condition.state}"
    } == { "stock-load" = "EQUALS SUCCEEDED", "prices-load" = "EQUALS FAILED" }
    error_message = "There should be a condition for each job."
  }

  assert {
    condition     = one(aws_glue_trigger.after_jobs[0].predicate).logical == "ANY"
    error_message = "One of them should be enough."
  }
}

run "after_all_of_them" {
  command = plan

  variables {
    after_jobs = { "stock-load" = "SUCCEEDED", "prices-load" = "SUCCEEDED" }
  }

  assert {
    condition     = one(aws_glue_trigger.after_jobs[0].predicate).logical == "AND"
    error_message = "Unless told otherwise, all of them should be needed."
  }
}

run "not_in_force" {
  command = plan

  variables {
    schedule         = "cron(0/15 * * * ? *)"
    after_jobs       = { "stock-load" = "SUCCEEDED" }
    triggers_enabled = false
  }

  assert {
    condition     = !aws_glue_trigger.schedule[0].enabled && !aws_glue_trigger.after_jobs[0].enabled
    error_message = "Triggers that are not in force should start nothing."
  }
}

run "after_itself" {
  command = plan

  variables {
    after_jobs = { "repairs-load" = "SUCCEEDED" }
  }

  expect_failures = [aws_glue_trigger.after_jobs]
}
