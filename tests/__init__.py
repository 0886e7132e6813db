"""Tests of the package, its packaging and its infrastructure."""
