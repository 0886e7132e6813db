"""Nobody ships a `Watermarks` into a Spark closure, and importing the package does not bring Spark along."""

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from pyspark.serializers import CloudPickleSerializer

from scripts.helpers.watermarks import NotPicklableError, Watermarks


@pytest.mark.parametrize(
    "ship",
    [
        *(
            pytest.param(lambda it, protocol=protocol: pickle.dumps(it, protocol), id=f"pickle-{protocol}")
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
        ),
        pytest.param(lambda it: pickle.dumps({"deep": [it]}), id="inside-something"),
        pytest.param(copy.copy, id="copy"),
        pytest.param(copy.deepcopy, id="deepcopy"),
    ],
)
def test_pickling__refused_with_the_reason(ship: Callable[[object], object]) -> None:
    watermarks = Watermarks("glue-watermarks", region_name="eu-west-2")

    with pytest.raises(NotPicklableError) as refusal:
        ship(watermarks)

    assert "Watermarks cannot be pickled, so it cannot be used inside a Spark function" in str(refusal.value)
    assert "on the driver" in str(refusal.value)
    assert isinstance(refusal.value, TypeError)


def test_pickling__in_a_spark_closure() -> None:
    watermarks = Watermarks("glue-watermarks", region_name="eu-west-2")
    serializer: Any = CloudPickleSerializer()

    # Spark wraps what it meets on the way, and prints the traceback besides.
    with pytest.raises(pickle.PicklingError, match="NotPicklableError: Watermarks cannot be pickled, so it cannot be"):
        serializer.dumps(lambda row: watermarks.get_watermark(row.job))


def test_import__does_not_bring_spark() -> None:
    script = (
        "import sys, scripts.helpers.watermarks; "
        "sys.exit(any(name.split('.')[0] in ('pyspark', 'moto', 'pandas', 'click') for name in sys.modules))"
    )

    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
