"""A job that runs again and again, ten ids at a time, until it has loaded its whole source or is killed."""

import sys
import uuid
from datetime import timedelta

from pyspark.sql import SparkSession

from scripts.helpers.watermarks import Watermarks
from tests.support.tables import REGION

SCHEMA = "id BIGINT"
STEP = 10


def main(endpoint_url: str, table_name: str, job: str, folder: str, last_id: int) -> None:
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.local.dir", f"{folder}/spark")
        .config("spark.sql.warehouse.dir", f"{folder}/spark")
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1")
        .getOrCreate()
    )
    watermarks = Watermarks(table_name, endpoint_url=endpoint_url, region_name=REGION)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    loaded = 0
    while loaded < last_id:
        run = watermarks.job_run(job, f"jr_{uuid.uuid4().hex}", lease=timedelta(seconds=5), wait=timedelta(seconds=120))
        with run:
            before = (watermarks.get_watermark_values(job) or {}).get("numbers", 0)
            numbers = spark.read.schema(SCHEMA).parquet(f"{folder}/source")
            new = run.new_rows(numbers, "id", transformation_ctx="numbers", until=before + STEP)
            new.write.mode("overwrite").parquet(f"{folder}/target/batch_id={run.batch_id}")
        loaded = before + STEP


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5]))
