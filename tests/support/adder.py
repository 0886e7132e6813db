"""A process that adds watermarks: it says when it is ready, and begins when it is told.

Its arguments are the endpoint, the table, the job, and the run ids to add.
"""

import sys

from scripts.helpers.watermarks import Watermarks
from tests.support.adding import add


def main(endpoint_url: str, table_name: str, job: str, *runs: str) -> None:
    watermarks = Watermarks(table_name, endpoint_url=endpoint_url, region_name="eu-west-2")
    assert watermarks.exists()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    for run in runs:
        add(watermarks, job, run, by=run)


if __name__ == "__main__":
    main(*sys.argv[1:])
