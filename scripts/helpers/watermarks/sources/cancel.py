"""Stopping the Spark work of a run that lost its job, as far as the driver can reach it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from pyspark.sql import SparkSession

logger = logging.getLogger(__name__)

INTERVAL = 0.25


def keep_cancelling(spark: SparkSession, *, while_true: Callable[[], bool]) -> None:
    """Cancel every job of the session, and those that are started later: the script may not know yet."""

    def work() -> None:
        while while_true():
            if not _cancel(spark):
                return
            time.sleep(INTERVAL)

    threading.Thread(target=work, name="watermarks-cancel", daemon=True).start()


def _cancel(spark: SparkSession) -> bool:
    """Cancel what runs now, over Spark Connect by interrupting the session; false if that is not possible."""
    try:
        if "connect" in type(spark).__module__:
            spark.interruptAll()
        else:
            spark.sparkContext.cancelAllJobs()
    except Exception:
        logger.warning("The Spark work of a run that lost its job could not be cancelled", exc_info=True)
        return False
    return True
