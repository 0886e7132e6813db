"""The package side by side with what a user would pick instead: `make bench`. Nothing here is a timed test."""
