"""Facts as CloudWatch wants them: names, units, dimensions, and what fits into one request. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from scripts.helpers.watermarks.metrics.facts import RunFacts, SourceFacts

NAMESPACE = "GlueWatermarks"
# CloudWatch's own limits: metrics in a request, bytes of a request (1 MB), characters of a dimension's value.
MOST_METRICS = 1_000
MOST_BYTES = 1_000_000
MAX_DIMENSION = 1_024

# Around the names, a metric takes up to this much of a request, in any of the three protocols that boto3 has spoken.
_BYTES_OF_A_METRIC = 400
# One character of a name takes up to three bytes where it has to be encoded.
_BYTES_OF_A_CHARACTER = 3
_DIGEST = 16

Datum: TypeAlias = "dict[str, Any]"


def metric_data(facts: RunFacts) -> list[Datum]:
    """Give the metrics of a run; what is not known is left out.

    Example:
        >>> metric_data(RunFacts("repairs", failed=True))
        [{'MetricName': 'FailedRuns', 'Dimensions': [{'Name': 'JobName', 'Value': 'repairs'}], 'Value': 1.0, 'Unit':
        'Count'}]
    """
    job = {"JobName": facts.job_id}
    of_run: dict[str, tuple[float | None, str]] = {
        "FailedRuns": (facts.failed, "Count"),
        "RunSeconds": (facts.seconds, "Seconds"),
        "EmptyRuns": (facts.empty, "Count"),
        "RowsLoaded": (facts.rows, "Count"),
    }
    data = _data(of_run, job)
    for name, source in facts.sources.items():
        data += _data(_of_source(source), job | {"Source": name})
    return data


def requests(data: list[Datum]) -> Iterator[list[Datum]]:
    """Give the metrics as requests take them: all in one, unless there are hundreds of sources."""
    request: list[Datum] = []
    size = 0
    for datum in data:
        names = sum(len(dimension["Value"]) for dimension in datum["Dimensions"])
        needed = _BYTES_OF_A_METRIC + _BYTES_OF_A_CHARACTER * names
        if request and (len(request) == MOST_METRICS or size + needed > MOST_BYTES):
            yield request
            request, size = [], 0
        request.append(datum)
        size += needed
    if request:
        yield request


def dimension_value(name: str) -> str:
    """Give the name of a job or a source as CloudWatch takes it.

    Printable ASCII of up to 1,024 characters stays as it is. Any other character becomes the percent-escapes of its
    UTF-8 bytes, as in an address, and what is too long then is cut and ends in a digest of the whole name, so that
    different names stay different.

    Example:
        >>> dimension_value("café")
        'caf%C3%A9'
    """
    value = re.sub(r"[^ -~]", _escaped, name)
    if len(value) <= MAX_DIMENSION:
        return value
    digest = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:_DIGEST]
    return f"{value[: MAX_DIMENSION - _DIGEST - 1]}~{digest}"


def _of_source(source: SourceFacts) -> dict[str, tuple[float | None, str]]:
    return {
        "RowsLoaded": (source.rows, "Count"),
        "LateRows": (source.late_rows, "Count"),
        "MarkAgeSeconds": (source.mark_age, "Seconds"),
    }


def _data(values: dict[str, tuple[float | None, str]], dimensions: dict[str, str]) -> list[Datum]:
    named = [{"Name": name, "Value": dimension_value(value)} for name, value in dimensions.items()]
    return [
        {"MetricName": name, "Dimensions": named, "Value": float(value), "Unit": unit}
        for name, (value, unit) in values.items()
        if value is not None
    ]


def _escaped(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode(errors="surrogatepass"))
