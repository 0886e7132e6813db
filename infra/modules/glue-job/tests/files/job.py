"""A job for the tests of this module; it is uploaded and never run."""
