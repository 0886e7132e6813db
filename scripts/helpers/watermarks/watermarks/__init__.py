"""The playbook's `Watermarks` class: record a watermark, look at what is recorded, make runs, change a job."""

from scripts.helpers.watermarks.watermarks.playbook import Watermarks

__all__ = ["Watermarks"]
