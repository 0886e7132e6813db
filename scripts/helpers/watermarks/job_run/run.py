"""`JobRun`: one run of a job as its script sees it: what is new of each source, and what to record."""

from __future__ import annotations

from scripts.helpers.watermarks.job_run.run_batches import Backfills
from scripts.helpers.watermarks.job_run.run_files import FileSources
from scripts.helpers.watermarks.job_run.run_rows import RowSources


class JobRun(RowSources, FileSources, Backfills):
    """One run of a job: full load the first time, only what is new after that. Made by `Watermarks.job_run`.

    Leaving the `with` block without an exception commits every source's mark, every recorded value and the run's
    record together; an exception commits nothing, records the failure, and goes on up.

    Example:
        >>> with watermarks.job_run(job_id="repairs", run_id="jr_1") as run:
        ...     repairs = run.new_rows(spark.table("repairs"), "last_modified", transformation_ctx="repairs")
        ...     repairs.write.mode("overwrite").parquet(f"{target}/batch_id={run.batch_id}")
    """
