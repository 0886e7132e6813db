"""Glue job: load the new and changed files of a landing folder, each exactly once, as batches of Parquet files.

Arguments: --JOB_NAME, --source (a folder or s3:// path of JSON files) and --target,
--job-bookmark-option job-bookmark-enable.
"""

import logging
import sys

from pyspark.sql import SparkSession

from scripts.helpers.glue_args import job_arguments
from scripts.helpers.watermarks import Watermarks

SCHEMA = "claim_id BIGINT, policy STRING, amount DECIMAL(12, 2), filed_at TIMESTAMP"


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
        # With a schema, a night without new files gives an empty batch; without one it would be an error.
        claims = run.new_files(spark, args["source"], format="json", schema=SCHEMA, transformation_ctx="claims")
        # What a paused or disabled run reads is not part of the target: Spark does not look into folders with "_".
        batch = f"batch_id={run.batch_id}" if run.batch_id else f"_{run.run_id}"
        claims.write.mode("overwrite").parquet(f"{args['target']}/{batch}")


if __name__ == "__main__":
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("scripts").setLevel(logging.INFO)
    main(sys.argv)
