# What the module refuses before it asks AWS for anything. Each value has to be refused for itself.

mock_provider "aws" {
  source = "./tests/mocks"
}

run "wrong_words" {
  command = plan

  variables {
    name        = "glue watermarks"
    jobs        = {}
    sns_topic   = { arn = "on-call" }
    emails      = ["nobody"]
    glue_states = ["BROKEN"]
    kms_key_arn = "alias/aws/sns"
    tags        = { "aws:owner" = "data-platform" }
  }

  expect_failures = [var.name, var.jobs, var.sns_topic, var.emails, var.glue_states, var.kms_key_arn, var.tags]
}

run "longer_than_cloudwatch_looks_back" {
  command = plan

  variables {
    jobs = { "repairs-load" = { expected_every_hours = 169 } }
  }

  expect_failures = [var.jobs]
}

run "half_an_hour" {
  command = plan

  variables {
    jobs = { "repairs-load" = { expected_every_hours = 0.5 } }
  }

  expect_failures = [var.jobs]
}

run "a_mark_from_the_future" {
  command = plan

  variables {
    jobs = { "repairs-load" = { sources = { repairs = { max_mark_age_hours = 0 } } } }
  }

  expect_failures = [var.jobs]
}

run "what_cannot_be_a_dimension" {
  command = plan

  variables {
    jobs      = { "Übernahme" = {} }
    sns_topic = { arn = "arn:aws:sns:eu-west-2:123456789012:on-call.fifo" }
  }

  expect_failures = [var.jobs, var.sns_topic]
}

run "a_source_that_cannot_be_a_dimension" {
  command = plan

  variables {
    jobs = { "repairs-load" = { sources = { ":repairs" = {} } } }
  }

  expect_failures = [var.jobs]
}

run "a_slash_in_a_job" {
  command = plan

  variables {
    jobs = { "repairs/load" = {} }
  }

  expect_failures = [var.jobs]
}

run "but_not_the_longest" {
  command = plan

  variables {
    jobs = { "Repairs (nightly)" = { sources = { "housing.dbo/repairs" = { max_mark_age_hours = 0.25 } }, expected_every_hours = 168 } }
  }

  assert {
    condition = (
      aws_cloudwatch_metric_alarm.no_run["Repairs (nightly)"].period *
      aws_cloudwatch_metric_alarm.no_run["Repairs (nightly)"].evaluation_periods == 604800
    )
    error_message = "Seven days are what CloudWatch looks back at most."
  }
}
