# The target of a job as a table of the Data Catalog, so that Athena can query it. Athena works the batches out by itself
# (partition projection): a new batch is there as soon as it is written, without a crawler and without ADD PARTITION.

resource "aws_glue_catalog_database" "this" {
  count = var.create_database ? 1 : 0

  name        = var.database_name
  description = "Targets of jobs that load by watermarks."
  tags        = var.tags
}

resource "aws_glue_catalog_table" "this" {
  database_name = var.create_database ? aws_glue_catalog_database.this[0].name : var.database_name
  name          = var.table_name
  description   = var.description
  table_type    = "EXTERNAL_TABLE"

  parameters = {
    EXTERNAL                    = "TRUE"
    classification              = "parquet"
    "projection.enabled"        = "true"
    "projection.batch_id.type"  = "integer"
    "projection.batch_id.range" = "1,${var.max_batch_id}"
  }

  # As scripts/jobs write it: <location>/batch_id=7, without leading zeros.
  partition_keys {
    name = "batch_id"
    type = "bigint"
  }

  storage_descriptor {
    location      = "${trimsuffix(var.location, "/")}/"
    input_format  = "org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat"
    output_format = "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat"

    ser_de_info {
      serialization_library = "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"
      parameters            = { "serialization.format" = "1" }
    }

    dynamic "columns" {
      for_each = var.columns

      content {
        name    = columns.value.name
        type    = columns.value.type
        comment = columns.value.comment
      }
    }
  }
}
