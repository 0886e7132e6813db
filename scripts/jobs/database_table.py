"""Glue job: load the new and changed rows of a database table, told by a time column, as batches of Parquet files.

Arguments: --JOB_NAME, --table, --column (a time), --target, --connection (of Glue; `environment` to take DATABASE_URL,
DATABASE_USER and DATABASE_PASSWORD from there instead), --job-bookmark-option job-bookmark-enable.
"""

import logging
import os
import sys
from datetime import timedelta
from typing import Any

from pyspark.sql import SparkSession

from scripts.helpers.glue_args import job_arguments
from scripts.helpers.watermarks import Watermarks


def connection_options(spark: SparkSession, name: str) -> dict[str, Any]:
    """Give the options of the connection; credentials have no place among a job's arguments, which anybody can read."""
    if name == "environment":
        given = {each: os.environ.get(f"DATABASE_{each.upper()}") for each in ("url", "user", "password")}
        return {each: value for each, value in given.items() if value}
    from awsglue.context import GlueContext

    return dict(GlueContext(spark.sparkContext).extract_jdbc_conf(name))


def main(argv: list[str]) -> None:
    """Run the job once."""
    args = job_arguments(argv, ["JOB_NAME", "connection", "table", "column", "target"])
    spark = SparkSession.builder.appName(args["JOB_NAME"]).getOrCreate()
    watermarks = Watermarks(table_name="glue-watermarks")

    with watermarks.job_run(
        job_id=args["JOB_NAME"],
        run_id=args["JOB_RUN_ID"],
        bookmark_option=args["job_bookmark_option"],
        bookmark_from=args["job_bookmark_from"],
        bookmark_to=args["job_bookmark_to"],
    ) as run:
        connection = connection_options(spark, args["connection"])
        rows = run.new_jdbc_rows(
            spark,
            connection=connection,
            table=args["table"],
            column=args["column"],
            transformation_ctx=args["table"],
            delay=timedelta(minutes=10),  # longer than any transaction of this database takes
        )
        # What a paused or disabled run reads is not part of the target: Spark does not look into folders with "_".
        batch = f"batch_id={run.batch_id}" if run.batch_id else f"_{run.run_id}"
        rows.write.mode("overwrite").parquet(f"{args['target']}/{batch}")


if __name__ == "__main__":
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("scripts").setLevel(logging.INFO)
    main(sys.argv)
