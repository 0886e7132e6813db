"""Metrics of runs in CloudWatch. Nothing here can fail a job, or knows what a run is: it takes plain facts."""

from scripts.helpers.watermarks.metrics.automatic import is_on_aws
from scripts.helpers.watermarks.metrics.facts import RunFacts, SourceFacts
from scripts.helpers.watermarks.metrics.publishing import Publisher

__all__ = ["Publisher", "RunFacts", "SourceFacts", "is_on_aws"]
