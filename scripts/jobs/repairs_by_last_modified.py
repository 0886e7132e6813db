"""Glue job: load new and changed repairs, told by their last_modified time, as batches of Parquet files.

Arguments: --JOB_NAME, --source and --target (folders or s3:// paths), --job-bookmark-option job-bookmark-enable.
"""

import logging
import sys

from pyspark.sql import SparkSession

from scripts.helpers.glue_args import job_arguments
from scripts.helpers.watermarks import Watermarks


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
        repairs = run.new_rows(spark.read.parquet(args["source"]), column="last_modified", transformation_ctx="repairs")
        # A retry has the same batch id and overwrites what a failed run left: every repair arrives exactly once. What a
        # paused or disabled run reads is not part of the target; Spark does not look into folders that begin with "_".
        batch = f"batch_id={run.batch_id}" if run.batch_id else f"_{run.run_id}"
        repairs.write.mode("overwrite").parquet(f"{args['target']}/{batch}")


if __name__ == "__main__":
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("scripts").setLevel(logging.INFO)
    main(sys.argv)
