"""The report: the marks, runs and operators' changes of jobs as one HTML page that opens offline."""

from scripts.helpers.watermarks.report.page import require_plotly, write_report
from scripts.helpers.watermarks.report.story import JobStory

__all__ = ["JobStory", "require_plotly", "write_report"]
