"""What operators do to a job: rewind, reset, set a mark, forget."""

from scripts.helpers.watermarks.operations.changing import Changed
from scripts.helpers.watermarks.operations.operations import Operations

__all__ = ["Changed", "Operations"]
