"""One run of a job: take the job, hand out what is new, and move the marks only if the run succeeds."""

from scripts.helpers.watermarks.job_run.run import JobRun

__all__ = ["JobRun"]
