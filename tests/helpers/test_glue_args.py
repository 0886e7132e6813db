"""The arguments of a Glue job: the same rules on a laptop as on Glue, and Glue's own parser where it is there."""

import logging
import re
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import pytest

from scripts.helpers.glue_args import JobArgumentError, job_arguments

JOB = ("--JOB_NAME", "repairs", "--JOB_RUN_ID", "jr_1")
ENABLED = ("--job-bookmark-option", "job-bookmark-enable")
PAUSED = ("--job-bookmark-option", "job-bookmark-pause")


@pytest.fixture(autouse=True)
def off_glue(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide a copy of Glue's library that the machine may have."""
    monkeypatch.setitem(sys.modules, "awsglue.utils", None)


def parse(*argv: str, names: Sequence[str] = ()) -> dict[str, Any]:
    return job_arguments(["job.py", *argv], names)


def test_job_arguments__by_name() -> None:
    args = parse(*JOB, *ENABLED, "--target", "s3://bucket/repairs", names=["JOB_NAME", "target"])

    assert args["JOB_NAME"] == "repairs"
    assert args["JOB_RUN_ID"] == "jr_1"
    assert args["target"] == "s3://bucket/repairs"
    assert args["job_bookmark_option"] == "job-bookmark-enable"
    assert args["job_bookmark_from"] is None
    assert args["job_bookmark_to"] is None


def test_job_arguments__with_equals_signs() -> None:
    args = parse("--JOB_NAME=repairs", "--JOB_RUN_ID=jr_1", "--job-bookmark-option=job-bookmark-enable", "--target=a=b")

    assert (args["JOB_NAME"], args["JOB_RUN_ID"]) == ("repairs", "jr_1")
    assert args["job_bookmark_option"] == "job-bookmark-enable"
    assert "target" not in args


def test_job_arguments__value_with_an_equals_sign() -> None:
    assert parse("--target=a=b", *ENABLED, names=["target"])["target"] == "a=b"


def test_job_arguments__no_names() -> None:
    args = parse(*JOB, *ENABLED)

    assert (args["JOB_NAME"], args["JOB_RUN_ID"]) == ("repairs", "jr_1")


def test_job_arguments__no_names_and_no_job_name() -> None:
    assert "JOB_NAME" not in parse(*ENABLED)


def test_job_arguments__nothing_at_all() -> None:
    args = job_arguments([])

    assert args["job_bookmark_option"] == "job-bookmark-disable"


def test_job_arguments__named_twice() -> None:
    assert parse("--target", "there", *ENABLED, names=["target", "target"])["target"] == "there"


def test_job_arguments__others_than_those_named_are_no_concern() -> None:
    args = parse(*JOB, *ENABLED, "--enable-metrics", "true", "--verbose", "--target", "there", names=["target"])

    assert args["target"] == "there"
    assert "enable-metrics" not in args
    assert "verbose" not in args


def test_job_arguments__shortened_name_is_not_taken() -> None:
    with pytest.raises(JobArgumentError, match="--target"):
        parse(*ENABLED, "--targ", "there", names=["target"])


def test_job_arguments__required_one_is_missing() -> None:
    with pytest.raises(JobArgumentError, match=r"--target.* Pass it as `--name value`"):
        parse(*JOB, names=["JOB_NAME", "target"])


def test_job_arguments__job_name_is_required_where_named() -> None:
    with pytest.raises(JobArgumentError, match="--JOB_NAME"):
        parse(*ENABLED, names=["JOB_NAME"])


def test_job_arguments__value_is_missing() -> None:
    with pytest.raises(JobArgumentError, match="--target: expected one argument"):
        parse(*ENABLED, "--target", names=["target"])


@pytest.mark.parametrize(
    "name",
    [
        "job-bookmark-option",
        "job_bookmark_option",
        "continuation-option",
        "job-bookmark-from",
        "job-bookmark-to",
        "JOB_ID",
        "JOB_RUN_ID",
        "SECURITY_CONFIGURATION",
        "encryption-type",
        "enable-data-lineage",
    ],
)
def test_job_arguments__glues_own_must_not_be_named(name: str) -> None:
    with pytest.raises(JobArgumentError, match=f"'{name}' is an argument of Glue's own"):
        parse(*JOB, names=[name])


@pytest.mark.parametrize("given", ["TempDir", "RedshiftTempDir"])
def test_job_arguments__either_temporary_folder_is_both(given: str) -> None:
    args = parse(*ENABLED, f"--{given}", "s3://bucket/tmp", names=["TempDir", "RedshiftTempDir"])

    assert args["TempDir"] == args["RedshiftTempDir"] == "s3://bucket/tmp"


def test_job_arguments__temporary_folder_is_never_required() -> None:
    assert parse(*ENABLED, names=["TempDir"])["TempDir"] is None


@pytest.mark.parametrize(
    ("argv", "option"),
    [
        pytest.param(ENABLED, "job-bookmark-enable", id="enable"),
        pytest.param(PAUSED, "job-bookmark-pause", id="pause"),
        pytest.param(("--job-bookmark-option", "job-bookmark-disable"), "job-bookmark-disable", id="disable"),
        pytest.param((), "job-bookmark-disable", id="not-given"),
        pytest.param(("--continuation-option", "continuation-enabled"), "job-bookmark-enable", id="older-enable"),
        pytest.param(("--continuation-option", "continuation-readonly"), "job-bookmark-pause", id="older-pause"),
        pytest.param(("--continuation-option", "continuation-ignore"), "job-bookmark-disable", id="older-disable"),
        pytest.param((*PAUSED, "--continuation-option", "continuation-enabled"), "job-bookmark-pause", id="both"),
    ],
)
def test_job_bookmark_option__as_glue_understands_it(argv: tuple[str, ...], option: str) -> None:
    args = parse(*JOB, *argv)

    assert args["job_bookmark_option"] == option
    assert "continuation_option" not in args


@pytest.mark.parametrize("name", ["job-bookmark-option", "continuation-option"])
def test_job_bookmark_option__unknown(name: str) -> None:
    with pytest.raises(JobArgumentError, match=f"--{name}: invalid choice: 'enable'.*enable"):
        parse(f"--{name}", "enable")


def test_job_bookmark_option__not_given_is_told(caplog: pytest.LogCaptureFixture) -> None:
    parse(*JOB)

    (told,) = caplog.records
    assert told.levelno == logging.WARNING
    assert "this run loads everything" in told.message
    assert "--job-bookmark-option job-bookmark-enable" in told.message


@pytest.mark.parametrize(
    "argv",
    [
        pytest.param(ENABLED, id="enable"),
        pytest.param(("--job-bookmark-option=job-bookmark-disable",), id="disabled-on-purpose"),
        pytest.param(("--continuation-option", "continuation-ignore"), id="older-disable"),
    ],
)
def test_job_bookmark_option__given_is_not_worth_a_word(
    argv: tuple[str, ...], caplog: pytest.LogCaptureFixture
) -> None:
    parse(*JOB, *argv)

    assert caplog.records == []


def test_paused_range__both_ends() -> None:
    args = parse(*JOB, *PAUSED, "--job-bookmark-from", "jr_a", "--job-bookmark-to", "jr_b")

    assert (args["job_bookmark_from"], args["job_bookmark_to"]) == ("jr_a", "jr_b")


@pytest.mark.parametrize(("given", "missing"), [("from", "to"), ("to", "from")])
def test_paused_range__one_end_only(given: str, missing: str) -> None:
    with pytest.raises(JobArgumentError, match=f"--job-bookmark-{missing} is missing: .* both .*, or neither"):
        parse(*JOB, *PAUSED, f"--job-bookmark-{given}", "jr_a")


@pytest.mark.parametrize("argv", [ENABLED, ("--job-bookmark-option", "job-bookmark-disable"), ()])
def test_paused_range__without_pause(argv: tuple[str, ...]) -> None:
    with pytest.raises(JobArgumentError, match="only go with --job-bookmark-option job-bookmark-pause"):
        parse(*JOB, *argv, "--job-bookmark-from", "jr_a", "--job-bookmark-to", "jr_b")


def test_job_run_id__made_up_where_missing() -> None:
    one, other = parse(*ENABLED)["JOB_RUN_ID"], parse(*ENABLED)["JOB_RUN_ID"]

    assert re.fullmatch(r"local_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", one)
    assert one != other


def install_awsglue(monkeypatch: pytest.MonkeyPatch, parser: Callable[[list[str], list[str]], dict[str, Any]]) -> None:
    """Put in place a library like Glue's, with this as its parser."""
    utils = ModuleType("awsglue.utils")
    utils.getResolvedOptions = parser  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "awsglue", ModuleType("awsglue"))
    monkeypatch.setitem(sys.modules, "awsglue.utils", utils)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], list[str]]]:
    """What Glue's parser was asked for; it gives an answer to every name."""
    questions: list[tuple[list[str], list[str]]] = []

    def answer(argv: list[str], names: list[str]) -> dict[str, Any]:
        questions.append((argv, names))
        reserved = {"job_bookmark_option": "job-bookmark-disable", "JOB_RUN_ID": "jr_glue"}
        return reserved | {name: f"glue {name}" for name in names}

    install_awsglue(monkeypatch, answer)
    return questions


def test_on_glue__its_own_parser_is_asked(asked: list[tuple[list[str], list[str]]]) -> None:
    args = parse(*JOB, *ENABLED, "--target", "there", names=("JOB_NAME", "target"))

    assert asked == [(["job.py", *JOB, *ENABLED, "--target", "there"], ["JOB_NAME", "target"])]
    assert args["target"] == "glue target"
    assert args["JOB_RUN_ID"] == "jr_glue"


def test_on_glue__job_name_is_asked_for_without_being_named(asked: list[tuple[list[str], list[str]]]) -> None:
    assert parse(*JOB, *ENABLED)["JOB_NAME"] == "glue JOB_NAME"
    assert asked[0][1] == ["JOB_NAME"]


@pytest.mark.usefixtures("asked")
def test_on_glue__no_bookmark_option_is_told(caplog: pytest.LogCaptureFixture) -> None:
    assert parse(*JOB)["job_bookmark_option"] == "job-bookmark-disable"

    assert "this run loads everything" in caplog.text


def test_on_glue__errors_are_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    class GlueArgumentError(Exception): ...

    def refuse(*_: object) -> dict[str, Any]:
        raise GlueArgumentError("the following arguments are required: --target")

    install_awsglue(monkeypatch, refuse)

    with pytest.raises(GlueArgumentError):
        parse(*JOB, names=["target"])


def test_in_glues_container_image__a_missing_run_id_is_made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    install_awsglue(monkeypatch, lambda *_: {"JOB_RUN_ID": None})

    assert parse(*ENABLED)["JOB_RUN_ID"].startswith("local_")
