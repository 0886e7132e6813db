"""One run of a job: take the job, hand out what is new, and move the marks only if the run succeeds."""

from scripts.helpers.watermarks.job_run.jdbc_options import JdbcTable
from scripts.helpers.watermarks.job_run.run import JobRun
from scripts.helpers.watermarks.job_run.run_batches import Batch

__all__ = ["Batch", "JdbcTable", "JobRun"]
