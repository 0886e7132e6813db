"""The monitoring of ``infra/examples/complete`` as CloudWatch, EventBridge and SNS have it, on a moto server."""

import json
import re
from typing import Any

import pytest

from scripts.helpers.watermarks.metrics import RunFacts, SourceFacts
from scripts.helpers.watermarks.metrics.data import NAMESPACE, metric_data
from tests.support.applied import Applied
from tests.support.terraform import PROJECT

TOPIC = "arn:aws:sns:eu-west-2:123456789012:glue-watermarks"
JOBS = ("payments-load", "repairs-load")
# What the package publishes of a run of which everything is known: whoever renames a metric there sees it here.
EVERYTHING = RunFacts("job", 1.0, False, False, 1, {"source": SourceFacts(1, 1, 1.0)})
PUBLISHED = [(each["MetricName"], [named["Name"] for named in each["Dimensions"]]) for each in metric_data(EVERYTHING)]
OF_JOBS = {name for name, dimensions in PUBLISHED if dimensions == ["JobName"]}
OF_SOURCES = {name for name, dimensions in PUBLISHED if dimensions == ["JobName", "Source"]}


@pytest.fixture(scope="module")
def alarms(complete: Applied) -> dict[str, dict[str, Any]]:
    found = complete.client("cloudwatch").describe_alarms()["MetricAlarms"]
    return {alarm["AlarmName"].removeprefix("glue-watermarks-"): alarm for alarm in found}


@pytest.fixture(scope="module")
def widgets(complete: Applied) -> list[dict[str, Any]]:
    body = complete.client("cloudwatch").get_dashboard(DashboardName="glue-watermarks")["DashboardBody"]
    found: list[dict[str, Any]] = json.loads(body)["widgets"]
    return found


def condition_of(alarm: dict[str, Any]) -> str:
    return f"{alarm['Statistic']} {alarm['MetricName']} {alarm['ComparisonOperator']} {alarm['Threshold']:g}"


def dimensions_of(alarm: dict[str, Any]) -> dict[str, str]:
    return {dimension["Name"]: dimension["Value"] for dimension in alarm["Dimensions"]}


def test_alarms__are_about_failures_missing_runs_and_old_marks(alarms: dict[str, dict[str, Any]]) -> None:
    failed = "Sum FailedRuns GreaterThanOrEqualToThreshold 1"
    no_run = "SampleCount RunSeconds LessThanThreshold 1"
    old = f"Maximum MarkAgeSeconds GreaterThanThreshold {26 * 3600}"

    assert {name: (condition_of(alarm), dimensions_of(alarm)) for name, alarm in alarms.items()} == {
        **{f"{job}-failed": (failed, {"JobName": job}) for job in JOBS},
        **{f"{job}-no-run": (no_run, {"JobName": job}) for job in JOBS},
        "repairs-load-repairs-mark-age": (old, {"JobName": "repairs-load", "Source": "repairs"}),
    }


def test_alarms__last_until_a_run_says_otherwise_or_for_want_of_runs(alarms: dict[str, dict[str, Any]]) -> None:
    assert {name: alarm["TreatMissingData"] for name, alarm in alarms.items()} == {
        name: "breaching" if name.endswith("-no-run") else "ignore" for name in alarms
    }


def test_alarms__stay_within_what_cloudwatch_looks_back(alarms: dict[str, dict[str, Any]]) -> None:
    for alarm in alarms.values():
        looks_back = alarm["Period"] * alarm["EvaluationPeriods"]

        assert looks_back <= (7 * 86_400 if alarm["Period"] >= 3_600 else 86_400)


def test_alarms__tell_the_topic(complete: Applied, alarms: dict[str, dict[str, Any]]) -> None:
    assert complete.outputs["topic_arn"] == TOPIC
    for alarm in alarms.values():
        assert alarm["ActionsEnabled"] is True
        assert (alarm["AlarmActions"], alarm["OKActions"]) == ([TOPIC], [TOPIC])


def test_dashboard__has_every_metric_of_every_job_and_source(widgets: list[dict[str, Any]]) -> None:
    lines = {
        (metric[0], metric[1], *metric[2:-1])
        for widget in widgets
        if widget["type"] == "metric"
        for metric in widget["properties"]["metrics"]
    }

    assert lines == {
        *((NAMESPACE, metric, "JobName", job) for metric in OF_JOBS for job in JOBS),
        *(
            ("GlueWatermarks", metric, "JobName", job, "Source", job.removesuffix("-load"))
            for metric in OF_SOURCES
            for job in JOBS
        ),
    }


def test_dashboard__shows_every_alarm(alarms: dict[str, dict[str, Any]], widgets: list[dict[str, Any]]) -> None:
    (shown,) = (widget["properties"]["alarms"] for widget in widgets if widget["type"] == "alarm")

    assert set(shown) == {alarm["AlarmArn"] for alarm in alarms.values()}


@pytest.mark.parametrize("script", ("repairs_by_last_modified", "payments_by_id"))
def test_sources__are_those_of_the_scripts(widgets: list[dict[str, Any]], script: str) -> None:
    text = (PROJECT / "scripts" / "jobs" / f"{script}.py").read_text()
    read = re.findall(r'transformation_ctx="(\w+)"', text)

    watched = {
        metric[5] for widget in widgets for metric in widget["properties"].get("metrics", []) if len(metric) == 7
    }
    assert read
    assert watched.issuperset(read)


def test_runs_that_ended_badly__are_told_by_glue_itself(complete: Applied) -> None:
    events = complete.client("events")

    (rule,) = events.list_rules()["Rules"]
    (target,) = events.list_targets_by_rule(Rule=rule["Name"])["Targets"]

    assert json.loads(rule["EventPattern"]) == {
        "source": ["aws.glue"],
        "detail-type": ["Glue Job State Change"],
        "detail": {"jobName": list(JOBS), "state": ["FAILED", "TIMEOUT"]},
    }
    assert target["Arn"] == TOPIC
    assert set(target["InputTransformer"]["InputPathsMap"].values()) == {
        "$.detail.jobName",
        "$.detail.jobRunId",
        "$.detail.state",  # and not the message, which may quote data
    }


def test_topic__lets_in_these_alarms_and_this_rule(complete: Applied) -> None:
    policy = json.loads(complete.client("sns").get_topic_attributes(TopicArn=TOPIC)["Attributes"]["Policy"])

    assert [(s["Principal"]["Service"], s["Action"], s["Condition"]) for s in policy["Statement"]] == [
        (
            "cloudwatch.amazonaws.com",
            "sns:Publish",
            {"ArnLike": {"aws:SourceArn": "arn:aws:cloudwatch:eu-west-2:123456789012:alarm:glue-watermarks-*"}},
        ),
        (
            "events.amazonaws.com",
            "sns:Publish",
            {"ArnEquals": {"aws:SourceArn": "arn:aws:events:eu-west-2:123456789012:rule/glue-watermarks-ended-badly"}},
        ),
    ]
