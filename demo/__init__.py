"""The demo: a job's runs, told from the first to the last, on this machine alone."""
