"""Who is changing a job: the AWS identity behind the credentials, or the user of this machine where there is no AWS."""

from __future__ import annotations

import getpass
import os
import socket
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from scripts.helpers.watermarks.table.addresses import is_aws_dynamodb
from scripts.helpers.watermarks.table.session import AwsSession

QUICK = Config(connect_timeout=2, read_timeout=3, retries={"total_max_attempts": 2})


def caller_identity(session: AwsSession, dynamodb_client: Any) -> str:
    """Name the caller: an ARN where AWS can be asked, else `user@machine`.

    An emulator of DynamoDB says nothing about where STS is, so AWS itself is then not asked.
    """
    told_where_sts_is = os.environ.get("AWS_ENDPOINT_URL") or os.environ.get("AWS_ENDPOINT_URL_STS")
    if not told_where_sts_is and not is_aws_dynamodb(dynamodb_client.meta.endpoint_url):
        return _user_of_this_machine()
    try:
        sts = session.client("sts", region_name=dynamodb_client.meta.region_name, config=QUICK)
        return str(sts.get_caller_identity()["Arn"])
    except (BotoCoreError, ClientError, ResponseParserError):
        return _user_of_this_machine()


def _user_of_this_machine() -> str:
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = str(os.getuid())
    return f"{user}@{socket.gethostname()}"
