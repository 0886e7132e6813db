"""What the roles of ``infra/examples/complete`` may do, on a moto server, judged as IAM would."""

import json

import pytest

from tests.support.applied import Applied
from tests.support.iam import Context, allows

ACCOUNT = "123456789012"
JOBS = ("repairs-load", "payments-load")


@pytest.fixture(scope="module")
def policies(complete: Applied) -> dict[str, list[str]]:
    """The policies of each job's role."""
    iam = complete.client("iam")
    return {
        job: [
            json.dumps(iam.get_role_policy(RoleName=job, PolicyName=name)["PolicyDocument"])
            for name in iam.list_role_policies(RoleName=job)["PolicyNames"]
        ]
        for job in JOBS
    }


@pytest.mark.parametrize("name", JOBS)
def test_roles__are_assumed_by_glue_alone(complete: Applied, name: str) -> None:
    (statement,) = complete.client("iam").get_role(RoleName=name)["Role"]["AssumeRolePolicyDocument"]["Statement"]

    assert (statement["Effect"], statement["Action"]) == ("Allow", "sts:AssumeRole")
    assert statement["Principal"] == {"Service": "glue.amazonaws.com"}


TABLE = f"arn:aws:dynamodb:eu-west-2:{ACCOUNT}:table/glue-watermarks"
LOGS = f"arn:aws:logs:eu-west-2:{ACCOUNT}:log-group:/aws-glue/jobs"
OF_REPAIRS: Context = {"dynamodb:LeadingKeys": ["repairs-load"]}
OF_PAYMENTS: Context = {"dynamodb:LeadingKeys": ["payments-load"]}


REQUESTS: tuple[tuple[str, str, Context, bool], ...] = (
    ("dynamodb:UpdateItem", TABLE, OF_REPAIRS, True),
    ("dynamodb:UpdateItem", TABLE, OF_PAYMENTS, False),
    ("dynamodb:GetItem", TABLE, OF_PAYMENTS, False),
    ("dynamodb:Query", f"{TABLE}/index/latest-by-job", {}, False),
    ("dynamodb:DeleteItem", TABLE, OF_REPAIRS, False),
    ("s3:GetObject", "BUCKET/landing/repairs/2026/a.parquet", {}, True),
    ("s3:PutObject", "BUCKET/landing/repairs/2026/a.parquet", {}, False),
    ("s3:DeleteObject", "BUCKET/landing/repairs/2026/a.parquet", {}, False),
    ("s3:GetObject", "BUCKET/landing/repairs-of-others/a.parquet", {}, False),
    ("s3:GetObject", "BUCKET/landing/payments/a.csv", {}, False),
    *(
        (action, resource, {}, allowed)
        for action in ("s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload")
        for resource, allowed in (
            ("BUCKET/lake/repairs/batch_id=1/part-0.parquet", True),
            ("BUCKET/lake/repairs_$folder$", True),
            ("BUCKET/lake/payments/batch_id=1/part-0.parquet", False),
            ("BUCKET/lake/repairs-of-others/part-0.parquet", False),
        )
    ),
    ("s3:ListBucket", "BUCKET", {"s3:prefix": ["lake/repairs/"]}, True),
    ("s3:ListBucket", "BUCKET", {"s3:prefix": ["landing/repairs"]}, True),
    ("s3:ListBucket", "BUCKET", {"s3:prefix": ["lake/"]}, False),
    ("s3:ListBucket", "BUCKET", {"s3:prefix": ["lake/payments/"]}, False),
    ("s3:ListBucket", "BUCKET", {}, False),
    ("s3:GetObject", "SCRIPT repairs-load", {}, True),
    ("s3:GetObject", "WHEEL repairs-load", {}, True),
    ("s3:GetObject", "SCRIPT payments-load", {}, False),
    ("s3:PutObject", "SCRIPT repairs-load", {}, False),
    ("s3:PutObject", "WHEEL repairs-load", {}, False),
    ("logs:PutLogEvents", f"{LOGS}/repairs-load/output:log-stream:jr_1", {}, True),
    ("logs:PutLogEvents", f"{LOGS}/payments-load/output:log-stream:jr_1", {}, False),
    ("logs:GetLogEvents", f"{LOGS}/repairs-load/output:log-stream:jr_1", {}, False),
    ("cloudwatch:PutMetricData", "*", {"cloudwatch:namespace": ["GlueWatermarks"]}, True),
    ("cloudwatch:PutMetricData", "*", {"cloudwatch:namespace": ["Glue"]}, True),
    ("cloudwatch:PutMetricData", "*", {"cloudwatch:namespace": ["AWS/Billing"]}, False),
    ("glue:StartJobRun", f"arn:aws:glue:eu-west-2:{ACCOUNT}:job/repairs-load", {}, False),
    ("glue:UpdateJob", f"arn:aws:glue:eu-west-2:{ACCOUNT}:job/repairs-load", {}, False),
    ("ec2:CreateNetworkInterface", f"arn:aws:ec2:eu-west-2:{ACCOUNT}:subnet/subnet-1", {}, False),
    ("iam:PassRole", f"arn:aws:iam::{ACCOUNT}:role/repairs-load", {}, False),
)


@pytest.mark.parametrize(
    ("action", "resource", "context", "allowed"),
    REQUESTS,
    ids=[
        f"{action} {resource.split(':')[-1]} {'yes' if allowed else 'no'}" for action, resource, _, allowed in REQUESTS
    ],
)
def test_role_of_repairs__may(
    complete: Applied, policies: dict[str, list[str]], action: str, resource: str, context: Context, allowed: bool
) -> None:
    arn = resource.replace("BUCKET", f"arn:aws:s3:::{complete.outputs['bucket']}")
    if resource.startswith(("SCRIPT ", "WHEEL ")):
        kind, name = resource.split()
        job = complete.job(name)
        uri = {
            "SCRIPT": job["Command"]["ScriptLocation"],
            "WHEEL": job["DefaultArguments"]["--additional-python-modules"],
        }
        arn = uri[kind].replace("s3://", "arn:aws:s3:::")

    assert any(allows(policy, action, arn, context) for policy in policies["repairs-load"]) is allowed
