"""Which addresses are AWS's own, and which are those of an emulator."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

# Of every partition that botocore knows, for both kinds of addresses.
AWS_DOMAINS = (
    "amazonaws.com",
    "amazonaws.com.cn",
    "amazonaws.eu",
    "api.aws",
    "api.amazonwebservices.com.cn",
    "api.amazonwebservices.eu",
    "c2s.ic.gov",
    "sc2s.sgov.gov",
    "cloud.adc-e.uk",
    "csp.hci.ic.gov",
    "api.aws.ic.gov",
    "api.aws.scloud",
    "api.cloud-aws.adc-e.uk",
    "api.aws.hci.ic.gov",
)
_DYNAMODB = re.compile(r"(^|\.)(dynamodb(-fips)?|ddb)\.")


def is_aws_dynamodb(endpoint_url: str) -> bool:
    """Say whether an address is that of DynamoDB itself, also through a VPC endpoint, and not of an emulator."""
    host = urlsplit(endpoint_url).hostname or ""
    return host.endswith(tuple(f".{domain}" for domain in AWS_DOMAINS)) and _DYNAMODB.search(host) is not None
