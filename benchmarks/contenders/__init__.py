"""What the package is compared with, each doing the same work as well as its documentation shows."""
