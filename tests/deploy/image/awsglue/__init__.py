"""In the place of Glue's own library, of which the jobs of this package use one function only."""
