# What starts the job. Glue starts a job "after" another only if that other one was started by a trigger itself: a chain
# that is begun by hand has to be begun by its first job's on-demand trigger, not by StartJobRun.

resource "aws_glue_trigger" "on_demand" {
  count = var.on_demand_trigger ? 1 : 0

  name        = "${var.name}-on-demand"
  description = "Starts ${var.name} by hand, and then the jobs that come after it."
  type        = "ON_DEMAND"
  enabled     = false # true would have the provider fire it, and so run the job, when it is created
  tags        = var.tags

  actions {
    job_name = aws_glue_job.this.name
  }
}

resource "aws_glue_trigger" "schedule" {
  count = var.schedule == null ? 0 : 1

  name        = "${var.name}-schedule"
  description = "Starts ${var.name} at ${var.schedule}, UTC."
  type        = "SCHEDULED"
  schedule    = var.schedule
  enabled     = var.triggers_enabled
  tags        = var.tags

  actions {
    job_name = aws_glue_job.this.name
  }
}

resource "aws_glue_trigger" "after_jobs" {
  count = length(var.after_jobs) == 0 ? 0 : 1

  name        = "${var.name}-after-jobs"
  description = "Starts ${var.name} after ${join(", ", keys(var.after_jobs))}."
  type        = "CONDITIONAL"
  enabled     = var.triggers_enabled
  tags        = var.tags

  actions {
    job_name = aws_glue_job.this.name
  }

  predicate {
    logical = var.after_any ? "ANY" : "AND"

    dynamic "conditions" {
      for_each = var.after_jobs

      content {
        job_name         = conditions.key
        state            = conditions.value
        logical_operator = "EQUALS"
      }
    }
  }

  lifecycle {
    precondition {
      condition     = !contains(keys(var.after_jobs), var.name)
      error_message = "after_jobs names ${var.name} itself: the job would start itself for ever."
    }
  }
}
