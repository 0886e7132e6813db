"""The values of a run: a plain dict that knows what to say about a name it does not hold."""

import copy
import json
import pickle

import pytest

from scripts.helpers.watermarks import UnknownNameError, WatermarkError, WatermarkValues

VALUES = {"latest_data": "2023-03-16", "rows_collected": 808}


@pytest.fixture
def values() -> WatermarkValues:
    return WatermarkValues(VALUES, job_id="repairs", run_id="jr_1")


def test_values__are_a_dict(values: WatermarkValues) -> None:
    assert values == VALUES
    assert json.dumps(values) == json.dumps(VALUES)
    assert {**values, "more": 1} == {**VALUES, "more": 1}
    assert "latest" not in values
    assert values.get("latest", "default") == "default"


def test_unknown_name__lists_the_recorded_ones(values: WatermarkValues) -> None:
    with pytest.raises(UnknownNameError) as failure:
        values["latest"]

    assert isinstance(failure.value, KeyError)
    assert isinstance(failure.value, WatermarkError)
    assert str(failure.value) == (
        "Run 'jr_1' of job 'repairs' recorded no watermark named 'latest'. Recorded: 'latest_data', 'rows_collected'."
    )


def test_unknown_name__where_nothing_was_recorded() -> None:
    with pytest.raises(KeyError, match="Recorded: none"):
        WatermarkValues({}, job_id="repairs", run_id="jr_1")["latest"]


@pytest.mark.parametrize(
    "copied",
    [
        pytest.param(copy.copy, id="copy"),
        pytest.param(copy.deepcopy, id="deepcopy"),
        pytest.param(lambda values: pickle.loads(pickle.dumps(values)), id="pickle"),
    ],
)
def test_values__copied_they_still_know_job_and_run(values: WatermarkValues, copied: object) -> None:
    assert callable(copied)
    duplicate = copied(values)

    assert type(duplicate) is WatermarkValues
    assert duplicate == VALUES
    with pytest.raises(KeyError, match="Run 'jr_1' of job 'repairs'"):
        duplicate["latest"]
