"""Glue job: load new payments, told by their sequential id, and record how many were refunds.

Arguments: --JOB_NAME, --source (CSV files with a header) and --target, --job-bookmark-option job-bookmark-enable.
"""

import logging
import sys

from pyspark.sql import SparkSession

from scripts.helpers.glue_args import job_arguments
from scripts.helpers.watermarks import Watermarks

SCHEMA = "payment_id BIGINT, account STRING, amount DECIMAL(12, 2), paid_at TIMESTAMP"


def main(argv: list[str]) -> None:
    """Run the job once."""
    args = job_arguments(argv, ["JOB_NAME", "source", "target"])
    spark = SparkSession.builder.appName(args["JOB_NAME"]).getOrCreate()
    watermarks = Watermarks(table_name="glue-watermarks")

    with watermarks.job_run(
        job_id=args["JOB_NAME"],
        run_id=args["JOB_RUN_ID"],
        bookmark_option=args["job_bookmark_option"],
        bookmark_from=args["job_bookmark_from"],
        bookmark_to=args["job_bookmark_to"],
    ) as run:
        source = spark.read.csv(args["source"], header=True, schema=SCHEMA)
        payments = run.new_rows(source, column="payment_id", transformation_ctx="payments", nulls="error")

        # What a paused or disabled run reads is not part of the target: Spark does not look into folders with "_".
        batch = f"{args['target']}/" + (f"batch_id={run.batch_id}" if run.batch_id else f"_{run.run_id}")
        payments.write.mode("overwrite").parquet(batch)
        # Counted on what was written: counting `payments` would read the source once more.
        run.record(refunds=spark.read.schema(SCHEMA).parquet(batch).where("amount < 0").count())


if __name__ == "__main__":
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("scripts").setLevel(logging.INFO)
    main(sys.argv)
