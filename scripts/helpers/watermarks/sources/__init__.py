"""Reading what is new from Spark. Only this folder imports pyspark, and only when a source is read."""
