"""Stopping the Spark work of a run that lost its job, as far as the driver can reach it."""

from __future__ import annotations

import logging

from pyspark.sql import SparkSession

logger = logging.getLogger(__name__)


def cancel_work(spark: SparkSession) -> None:
    """Cancel every job of the session: over Spark Connect by interrupting it, else through the context."""
    try:
        if hasattr(spark, "interruptAll") and "connect" in type(spark).__module__:
            spark.interruptAll()
        else:
            spark.sparkContext.cancelAllJobs()
    except Exception:
        logger.warning("The Spark work of this run could not be cancelled", exc_info=True)
