"""Which rows and files a run may take. Pure arithmetic: no I/O, no Spark, no clock of its own."""

from scripts.helpers.watermarks.window.files import FilePlan, ListedFile, Listing, covered_between, plan_files
from scripts.helpers.watermarks.window.rows import (
    Future,
    Limits,
    Nulls,
    WallClock,
    Window,
    check_options,
    lagged,
    limits,
)

__all__ = [
    "FilePlan",
    "Future",
    "Limits",
    "ListedFile",
    "Listing",
    "Nulls",
    "WallClock",
    "Window",
    "check_options",
    "covered_between",
    "lagged",
    "limits",
    "plan_files",
]
