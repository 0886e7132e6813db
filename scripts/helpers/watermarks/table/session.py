"""The AWS session that is used where the caller gives none.

It is botocore's own, as a boto3 session is underneath: importing boto3 takes as long as everything that a short command
does, most of it for S3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import boto3

AwsSession: TypeAlias = "boto3.Session | EnvironmentSession"


class EnvironmentSession:
    """What the package needs of a boto3 session, as the environment has it: variables, profile, role."""

    def __init__(self) -> None:
        """Open the session; credentials are looked for when the first request is signed."""
        from botocore.session import get_session

        self._core = get_session()
        # As boto3 does: a profile that does not exist is told now, not with the first request.
        self._core.get_scoped_config()

    @property
    def region_name(self) -> str | None:
        """The region of the environment or the profile."""
        region: str | None = self._core.get_config_variable("region")
        return region

    def client(self, service: str, **options: Any) -> Any:
        """Make a client."""
        return self._core.create_client(service, **options)

    def get_credentials(self) -> Any:
        """Find the credentials; None if there are none."""
        return self._core.get_credentials()
