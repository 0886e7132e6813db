"""Whether a run is one on AWS itself, so that its metrics are published without anybody asking for it."""

from __future__ import annotations

import importlib.util
import os
import sys

from scripts.helpers.watermarks.table.addresses import is_aws_dynamodb

# Glue sets the first three, and AWS's own lineage tells its runs by them; Lambda, ECS and others set the last one.
SET_BY_AWS = ("GLUE_COMMAND_CRITERIA", "GLUE_VERSION", "GLUE_PYTHON_VERSION", "AWS_EXECUTION_ENV")


def is_on_aws(endpoint_url: str, run_id: str) -> bool:
    """Say whether a run works on AWS's own DynamoDB, from a machine that AWS runs.

    Args:
        endpoint_url: where the requests to DynamoDB go.
        run_id: the run. Glue's own begin with `jr_`.

    Returns:
        True only if both are sure. A plain EC2 instance cannot be told from any other machine.
    """
    return is_aws_dynamodb(endpoint_url) and runs_on_aws(run_id)


def runs_on_aws(run_id: str) -> bool:
    """Say whether AWS runs this process.

    Glue's container image has `awsglue` on any laptop, but only Glue itself gives out run ids.
    """
    if any(os.environ.get(name) for name in SET_BY_AWS):
        return True
    return run_id.startswith("jr_") and ("awsglue" in sys.modules or importlib.util.find_spec("awsglue") is not None)
