"""The AWS session of a profile that was named on the command line."""

from __future__ import annotations

import boto3
from botocore.exceptions import ProfileNotFound

from scripts.helpers.watermarks.errors import InvalidArgumentError


def open_session(profile: str) -> boto3.Session:
    """Open the session of a profile.

    Raises:
        InvalidArgumentError: there is no such profile.
    """
    try:
        return boto3.Session(profile_name=profile)
    except ProfileNotFound:
        known = ", ".join(boto3.Session().available_profiles) or "none"
        raise InvalidArgumentError(
            f"There is no AWS profile {profile!r}. Known profiles: {known}.", argument="profile", value=profile
        ) from None
