# What the module refuses before it asks AWS for anything. Each value has to be refused for itself.

mock_provider "aws" {
  source = "./tests/mocks"
}

run "too_short" {
  command = plan

  variables {
    name               = "ab"
    job_names          = ["repairs-load", ""]
    kms_key_arn        = ""
    policy_name_prefix = ""
    tags               = { "" = "data-platform" }
  }

  expect_failures = [var.name, var.job_names, var.kms_key_arn, var.policy_name_prefix, var.tags]
}

run "wildcards" {
  command = plan

  variables {
    name               = "glue-*"
    job_names          = ["*"]
    kms_key_arn        = "arn:aws:kms:eu-west-2:123456789012:key/*"
    policy_name_prefix = "*"
  }

  expect_failures = [var.name, var.job_names, var.kms_key_arn, var.policy_name_prefix]
}

run "a_pattern_among_names_and_an_alias" {
  command = plan

  variables {
    job_names   = ["repairs-load", "stock-?"]
    kms_key_arn = "arn:aws:kms:eu-west-2:123456789012:alias/watermarks"
  }

  expect_failures = [var.job_names, var.kms_key_arn]
}

run "spaces_lines_slashes_and_an_id" {
  command = plan

  variables {
    name               = "glue watermarks"
    job_names          = ["repairs\nload"]
    kms_key_arn        = "1234abcd-12ab-34cd-56ef-1234567890ab"
    policy_name_prefix = "team/watermarks"
  }

  expect_failures = [var.name, var.job_names, var.kms_key_arn, var.policy_name_prefix]
}

run "a_policy_variable_and_a_tag_of_aws" {
  command = plan

  variables {
    job_names = ["$${aws:username}"]
    tags      = { "aws:owner" = "data-platform" }
  }

  expect_failures = [var.job_names, var.tags]
}

run "a_policy_variable_in_terraform_spelling" {
  command = plan

  variables {
    job_names = ["&{aws:username}"]
  }

  expect_failures = [var.job_names]
}

run "but_not_what_glue_allows" {
  command = plan

  variables {
    job_names = ["Repairs (nightly) – Übernahme", "stock & sales, $5"]
  }

  assert {
    condition     = keys(data.aws_iam_policy_document.job) == ["*", "Repairs (nightly) – Übernahme", "stock & sales, $5"]
    error_message = "Spaces, brackets, other alphabets, a lone & and a lone $ are parts of a name."
  }
}
