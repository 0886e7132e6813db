"""Where a person sees a job in the AWS console."""

from __future__ import annotations

from urllib.parse import quote

from scripts.helpers.watermarks.table.client import Place
from scripts.helpers.watermarks.table.model import LATEST

# Other partitions of AWS have consoles of their own.
PARTITIONS = {"cn-": "console.amazonaws.cn", "us-gov-": "console.amazonaws-us-gov.com"}


def console_addresses(place: Place, job_id: str, *, emulated: bool) -> dict[str, str]:
    """Give the addresses of a job's state in DynamoDB and of its runs in Glue; none for an emulator.

    Returns:
        The addresses, by what is there: `watermarks` and `glue`.
    """
    if emulated or place.region is None:
        return {}
    region = place.region
    own = next((host for prefix, host in PARTITIONS.items() if region.startswith(prefix)), None)
    host = own or f"{region}.console.aws.amazon.com"
    item = f"itemMode=2&pk={_part(job_id)}&sk={_part(LATEST)}&route=ROUTE_ITEM_EXPLORER&table={_part(place.table_name)}"
    return {
        "watermarks": f"https://{host}/dynamodbv2/home?region={region}#edit-item?{item}",
        "glue": f"https://{host}/gluestudio/home?region={region}#/editor/job/{_part(job_id)}/runs",
    }


def _part(text: str) -> str:
    return quote(text, safe="")
