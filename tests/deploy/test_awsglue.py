"""The stand-in for Glue's library: what it does of its own, and that a job sees no difference to running off Glue."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from scripts.helpers.glue_args import JobArgumentError, job_arguments

IMAGE = Path(__file__).parent / "image"
JOB = ("--JOB_NAME", "repairs", "--JOB_RUN_ID", "jr_1", "--target", "there")
ENABLED = ("--job-bookmark-option", "job-bookmark-enable")
PAUSED = ("--job-bookmark-option", "job-bookmark-pause")
RANGE = ("--job-bookmark-from", "jr_a", "--job-bookmark-to", "jr_b")


@pytest.fixture
def glue(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The module as a job imports it; gone after the test, or others would believe to be on Glue."""
    monkeypatch.syspath_prepend(str(IMAGE))
    yield importlib.import_module("awsglue.utils")
    for name in ("awsglue", "awsglue.utils"):
        sys.modules.pop(name, None)


def resolve(glue: ModuleType, *argv: str, names: tuple[str, ...] = ("JOB_NAME", "target")) -> dict[str, Any]:
    resolved: dict[str, Any] = glue.getResolvedOptions(["job.py", *argv], list(names))
    return resolved


@pytest.mark.parametrize(
    "argv",
    [
        pytest.param((*JOB, *ENABLED), id="enabled"),
        pytest.param((*JOB, *PAUSED), id="paused"),
        pytest.param((*JOB, *PAUSED, *RANGE), id="paused-between-runs"),
        pytest.param(JOB, id="no-option"),
        pytest.param((*JOB, "--continuation-option", "continuation-enabled"), id="older-option"),
        pytest.param((*JOB, *ENABLED, "--TempDir", "s3://bucket/tmp"), id="temporary-folder"),
        pytest.param((*JOB, *ENABLED, "--RedshiftTempDir=s3://bucket/tmp"), id="older-temporary-folder"),
        pytest.param((*JOB, *ENABLED, "--enable-metrics", "true", "--job-language", "python"), id="more-than-asked"),
        pytest.param((*JOB, *ENABLED, "--JOB_ID", "j_1", "--enable-data-lineage", "true"), id="glues-own"),
    ],
)
def test_job_arguments__same_on_glue_and_off_it(
    glue: ModuleType, argv: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    on_glue = job_arguments(["job.py", *argv], ["JOB_NAME", "target"])

    assert on_glue == resolve(glue, *argv)
    monkeypatch.setitem(sys.modules, "awsglue.utils", None)
    assert job_arguments(["job.py", *argv], ["JOB_NAME", "target"]) == on_glue


@pytest.mark.parametrize(
    "argv",
    [
        pytest.param(JOB[:4], id="required-one-is-missing"),
        pytest.param((*JOB, "--job-bookmark-option", "enable"), id="unknown-choice"),
        pytest.param((*JOB, *PAUSED, *RANGE[:2]), id="half-a-range"),
        pytest.param((*JOB, *ENABLED, *RANGE), id="range-without-pause"),
    ],
)
def test_job_arguments__refused_on_glue_and_off_it(
    glue: ModuleType, argv: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises((glue.GlueArgumentError, RuntimeError)) as refusal:
        job_arguments(["job.py", *argv], ["JOB_NAME", "target"])
    assert not isinstance(refusal.value, JobArgumentError)

    monkeypatch.setitem(sys.modules, "awsglue.utils", None)
    with pytest.raises(JobArgumentError):
        job_arguments(["job.py", *argv], ["JOB_NAME", "target"])


@pytest.mark.parametrize("name", ["job-bookmark-option", "JOB_RUN_ID", "job-bookmark-from", "encryption-type"])
def test_stand_in__names_of_glues_own_are_refused(glue: ModuleType, name: str) -> None:
    with pytest.raises(RuntimeError, match=f"Using reserved arguments {name}"):
        resolve(glue, *JOB, names=("JOB_NAME", name))


def test_stand_in__shortened_names_are_understood_as_in_glue(glue: ModuleType) -> None:
    assert resolve(glue, *JOB[:4], "--targ", "there")["target"] == "there"
