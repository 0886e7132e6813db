"""Glue job: load the new and changed rows of a database table, in parallel, as batches of Parquet files.

Arguments: --JOB_NAME, --connection (a Glue connection), --table, --column and --target,
--job-bookmark-option job-bookmark-enable. Off Glue the connection comes from JDBC_URL, JDBC_USER, JDBC_PASSWORD and
JDBC_DRIVER in the environment: a password has no place on a command line.
"""

import logging
import os
import sys
from datetime import timedelta

from pyspark.sql import SparkSession

from scripts.helpers.glue_args import job_arguments
from scripts.helpers.watermarks import Watermarks


def connection_options(spark: SparkSession, name: str) -> dict[str, str]:
    """Give the options of a Glue connection, or those of the environment where there is no Glue."""
    try:
        from awsglue.context import GlueContext
    except ImportError:
        names = {"fullUrl": "JDBC_URL", "user": "JDBC_USER", "password": "JDBC_PASSWORD"}
        names["customJDBCDriverClassName"] = "JDBC_DRIVER"
        return {option: os.environ[variable] for option, variable in names.items() if variable in os.environ}
    return dict(GlueContext(spark.sparkContext).extract_jdbc_conf(name))


def main(argv: list[str]) -> None:
    """Run the job once."""
    args = job_arguments(argv, ["JOB_NAME", "connection", "table", "column", "target"])
    spark = SparkSession.builder.appName(args["JOB_NAME"]).getOrCreate()
    watermarks = Watermarks(table_name="glue-watermarks")
    options = {"job_id": args["JOB_NAME"], "run_id": args["JOB_RUN_ID"], "bookmark_option": args["job_bookmark_option"]}

    with watermarks.job_run(**options) as run:
        rows = run.new_jdbc_rows(
            spark,
            connection=connection_options(spark, args["connection"]),
            table=args["table"],
            column=args["column"],
            transformation_ctx=args["table"],
            delay=timedelta(minutes=10),  # no transaction of this database takes longer; for ids: leave it out
        )
        rows.write.mode("overwrite").parquet(f"{args['target']}/batch_id={run.batch_id}")


if __name__ == "__main__":
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("scripts").setLevel(logging.INFO)
    main(sys.argv)
