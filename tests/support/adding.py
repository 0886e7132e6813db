"""The one thing that most tests begin with."""

from scripts.helpers.watermarks import Watermarks


def add(watermarks: Watermarks, job: str, run: str, **values: object) -> None:
    """Record a watermark as a job does."""
    watermarks.add_watermark(watermarks.create_watermark_item(job_id=job, run_id=run, **values))
