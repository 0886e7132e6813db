"""Terraform configurations applied to an emulator, and what came of it."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3

from demo.embedded import fake_aws
from tests.support.terraform import terraform

REGION = "eu-west-2"

# An emulator has no TLS, and the provider waits for a minute until lifecycle rules are the same everywhere.
ON_AN_EMULATOR = ("-var=plain_http=true", "-var=keep_old_versions_days=0")


@dataclass(frozen=True)
class Applied:
    """What ``terraform apply`` left: its outputs, and what the plan right after it said."""

    endpoint_url: str
    outputs: dict[str, Any]
    exit_code_of_next_plan: int

    def client(self, service: str) -> Any:
        """Give a client of a service, at the emulator that it was applied to."""
        client: Any = boto3.client
        return client(service, region_name=REGION, endpoint_url=self.endpoint_url)

    def job(self, name: str) -> dict[str, Any]:
        """Give the definition of a Glue job."""
        job: dict[str, Any] = self.client("glue").get_job(JobName=name)["Job"]
        return job


def apply(folder: Path, endpoint_url: str, *variables: str) -> Applied:
    """Apply a configuration, pointed at the emulator by nothing but the environment.

    Args:
        folder: The configuration, initialised.
        endpoint_url: Where the emulator is.
        variables: Arguments such as ``-var=name=value``.

    Returns:
        What it left.

    Raises:
        TerraformError: If it cannot be applied; the message is what Terraform said.
    """
    environ = _environ_of(endpoint_url)
    terraform(folder, "apply", "-auto-approve", "-input=false", *variables, environ=environ)
    outputs = json.loads(terraform(folder, "output", "-json", environ=environ).stdout)
    next_plan = terraform(
        folder, "plan", "-detailed-exitcode", "-input=false", *variables, environ=environ, expected=(0, 2)
    )
    return Applied(endpoint_url, {name: o["value"] for name, o in outputs.items()}, next_plan.returncode)


def planned_changes(folder: Path, endpoint_url: str, *variables: str) -> list[dict[str, Any]]:
    """Plan a configuration, and change nothing.

    Args:
        folder: The configuration, initialised.
        endpoint_url: Where the emulator is.
        variables: Arguments such as ``-var=name=value``.

    Returns:
        The resources that would change, as ``terraform show -json`` has them.
    """
    environ = _environ_of(endpoint_url)
    terraform(folder, "plan", "-input=false", "-out=test.tfplan", *variables, environ=environ)
    plan = json.loads(terraform(folder, "show", "-json", "test.tfplan", environ=environ).stdout)
    return [
        change
        for change in plan["resource_changes"]
        if change["mode"] == "managed" and change["change"]["actions"] != ["no-op"]
    ]


def _environ_of(endpoint_url: str) -> dict[str, str]:
    environ = dict(os.environ)
    fake_aws(environ, endpoint_url)
    return environ
