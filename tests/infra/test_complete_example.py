"""``infra/examples/complete`` applied to a moto server: two jobs one after the other, as AWS would have them."""

import hashlib
import re
from pathlib import Path

import pytest

from scripts.helpers.glue_args import job_arguments
from scripts.jobs.payments_by_id import SCHEMA
from tests.support.applied import ON_AN_EMULATOR, Applied, planned_changes
from tests.support.terraform import PROJECT, WHEEL

SCRIPTS = {"repairs-load": "repairs_by_last_modified.py", "payments-load": "payments_by_id.py"}
JOBS = tuple(SCRIPTS)


def stored(complete: Applied, uri: str) -> bytes:
    bucket, key = re.fullmatch(r"s3://([^/]+)/(.+)", uri).groups()  # type: ignore[union-attr]
    content: bytes = complete.client("s3").get_object(Bucket=bucket, Key=key)["Body"].read()
    return content


def test_example__leaves_nothing_to_change(complete: Applied) -> None:
    assert complete.exit_code_of_next_plan == 0


@pytest.mark.parametrize("name", JOBS)
def test_jobs__are_as_the_module_says(complete: Applied, name: str) -> None:
    job = complete.job(name)

    assert (job["GlueVersion"], job["WorkerType"], job["NumberOfWorkers"]) == ("5.0", "G.1X", 2)
    assert (job["ExecutionClass"], job["Timeout"], job["MaxRetries"]) == ("STANDARD", 120, 1)
    assert job["ExecutionProperty"] == {"MaxConcurrentRuns": 1}
    assert job["Role"] == f"arn:aws:iam::123456789012:role/{name}"


@pytest.mark.parametrize("name", JOBS)
def test_jobs__have_script_and_wheel_by_their_content(complete: Applied, name: str) -> None:
    job = complete.job(name)
    script = (PROJECT / "scripts" / "jobs" / SCRIPTS[name]).read_bytes()
    root = f"s3://{complete.outputs['bucket']}/glue-jobs/{name}"

    script_uri = job["Command"]["ScriptLocation"]
    wheel_uri = job["DefaultArguments"]["--additional-python-modules"]

    assert script_uri == f"{root}/{hashlib.sha256(script).hexdigest()[:16]}/{SCRIPTS[name]}"
    assert stored(complete, script_uri) == script
    assert wheel_uri == f"{root}/{hashlib.sha256(b'a wheel').hexdigest()[:16]}/{WHEEL}"
    assert stored(complete, wheel_uri) == b"a wheel"


@pytest.mark.parametrize("name", JOBS)
def test_jobs__have_the_arguments_that_their_scripts_ask_for(complete: Applied, name: str) -> None:
    given = complete.job(name)["DefaultArguments"]
    script = (PROJECT / "scripts" / "jobs" / SCRIPTS[name]).read_text()
    asked_for = re.findall(r'"(\w+)"', re.search(r"job_arguments\(argv, \[(.+)\]\)", script)[1])  # type: ignore[index]

    # As Glue passes them: name and value in turn, and its own besides.
    argv = ["script.py", "--JOB_NAME", name, "--JOB_RUN_ID", "jr_1", *(each for pair in given.items() for each in pair)]
    arguments = job_arguments(argv, asked_for)

    assert arguments["job_bookmark_option"] == "job-bookmark-enable"
    folder = name.removesuffix("-load")
    assert arguments["source"] == f"s3://{complete.outputs['bucket']}/landing/{folder}"
    assert arguments["target"] == f"s3://{complete.outputs['bucket']}/lake/{folder}"


def test_triggers__start_one_job_after_the_other(complete: Applied) -> None:
    triggers = {t["Name"]: t for t in complete.client("glue").get_triggers()["Triggers"]}

    assert {name: (t["Type"], t["State"], t["Actions"][0]["JobName"]) for name, t in triggers.items()} == {
        # Created, not activated: to activate it is to run the job.
        "repairs-load-on-demand": ("ON_DEMAND", "CREATED", "repairs-load"),
        "repairs-load-schedule": ("SCHEDULED", "ACTIVATED", "repairs-load"),
        "payments-load-after-jobs": ("CONDITIONAL", "ACTIVATED", "payments-load"),
    }
    assert triggers["repairs-load-schedule"]["Schedule"] == "cron(30 2 * * ? *)"
    assert triggers["payments-load-after-jobs"]["Predicate"] == {
        "Logical": "AND",
        "Conditions": [{"LogicalOperator": "EQUALS", "JobName": "repairs-load", "State": "SUCCEEDED"}],
    }


def test_start_command__names_the_trigger(complete: Applied) -> None:
    name = complete.outputs["start_command"].split("--name ")[1]

    assert complete.client("glue").get_trigger(Name=name)["Trigger"]["Type"] == "ON_DEMAND"


def test_bucket__is_closed_encrypted_and_versioned(complete: Applied) -> None:
    s3, bucket = complete.client("s3"), complete.outputs["bucket"]

    access = s3.get_public_access_block(Bucket=bucket)["PublicAccessBlockConfiguration"]
    (encryption,) = s3.get_bucket_encryption(Bucket=bucket)["ServerSideEncryptionConfiguration"]["Rules"]
    (ownership,) = s3.get_bucket_ownership_controls(Bucket=bucket)["OwnershipControls"]["Rules"]

    assert set(access.values()) == {True}
    assert encryption["ApplyServerSideEncryptionByDefault"]["SSEAlgorithm"] == "aws:kms"
    assert ownership == {"ObjectOwnership": "BucketOwnerEnforced"}
    assert s3.get_bucket_versioning(Bucket=bucket)["Status"] == "Enabled"


def test_log_groups__expire(complete: Applied) -> None:
    groups = complete.client("logs").describe_log_groups()["logGroups"]

    assert {group["logGroupName"]: group["retentionInDays"] for group in groups} == {
        f"/aws-glue/jobs/{job}/{kind}": 365 for job in JOBS for kind in ("error", "output")
    }


def test_catalog_table__has_the_columns_of_the_script_and_finds_batches_by_itself(complete: Applied) -> None:
    table = complete.client("glue").get_table(DatabaseName="housing", Name="payments")["Table"]

    storage = table["StorageDescriptor"]
    in_the_script = re.sub(r",\s*(?=\d)", ",", SCHEMA).lower().split(", ")
    assert [f"{column['Name']} {column['Type']}" for column in storage["Columns"]] == in_the_script
    assert storage["Location"] == complete.job("payments-load")["DefaultArguments"]["--target"] + "/"
    assert [key["Name"] for key in table["PartitionKeys"]] == ["batch_id"]
    assert {name: value for name, value in table["Parameters"].items() if name.startswith("projection.")} == {
        "projection.enabled": "true",
        "projection.batch_id.type": "integer",
        "projection.batch_id.range": "1,3650",
    }


def test_new_wheel__is_a_new_object_and_a_new_job_definition(complete: Applied, example: Path) -> None:
    wheel = example.parents[2] / "dist" / WHEEL
    wheel.write_bytes(b"another wheel")
    try:
        # Planned, not applied: moto 5.2 has no UpdateJob.
        changes = planned_changes(example, complete.endpoint_url, *ON_AN_EMULATOR)
    finally:
        wheel.write_bytes(b"a wheel")

    key = f"{hashlib.sha256(b'another wheel').hexdigest()[:16]}/{WHEEL}"
    jobs = [change for change in changes if change["type"] == "aws_glue_job"]
    objects = [change for change in changes if change["type"] == "aws_s3_object"]
    assert [change["change"]["actions"] for change in jobs] == [["update"], ["update"]]
    assert all(
        change["change"]["after"]["default_arguments"]["--additional-python-modules"].endswith(key) for change in jobs
    )
    # The new one is there before a job points to it, and the old one until none does.
    assert [change["change"]["actions"] for change in objects] == [["create", "delete"], ["create", "delete"]]
    assert all(change["change"]["after"]["key"].endswith(key) for change in objects)
