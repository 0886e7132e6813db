"""The same job after a change."""
