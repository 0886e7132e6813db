# The table of the Data Catalog, and what the module refuses.

mock_provider "aws" {}

variables {
  database_name = "housing"
  table_name    = "payments"
  location      = "s3://lake/payments/"
  columns = [
    { name = "payment_id", type = "bigint" },
    { name = "amount", type = "decimal(12,2)", comment = "Negative: a refund." },
  ]
}

run "as_it_comes" {
  command = plan

  assert {
    condition = { for name, value in aws_glue_catalog_table.this.parameters : name => value if startswith(name, "projection.") } == {
      "projection.enabled"        = "true"
      "projection.batch_id.type"  = "integer"
      "projection.batch_id.range" = "1,3650"
    }
    error_message = "Athena should work out the batches from 1 on; 0 is that of runs that do not commit."
  }

  assert {
    condition     = [for key in aws_glue_catalog_table.this.partition_keys : "${key.name} ${key.type}"] == ["batch_id bigint"]
    error_message = "The table should be partitioned by batch_id."
  }

  assert {
    condition = (
      one(aws_glue_catalog_table.this.storage_descriptor).location == "s3://lake/payments/" &&
      [for column in one(aws_glue_catalog_table.this.storage_descriptor).columns : "${column.name} ${column.type}"] ==
      ["payment_id bigint", "amount decimal(12,2)"]
    )
    error_message = "The table should have the columns given, in order, at the job's target."
  }

  assert {
    condition     = one(aws_glue_catalog_database.this).name == "housing" && aws_glue_catalog_table.this.database_name == "housing"
    error_message = "The database should be created, and have the table."
  }
}

run "as_told" {
  command = plan

  variables {
    create_database = false
    location        = "s3://lake/payments"
    max_batch_id    = 100000
  }

  assert {
    condition     = length(aws_glue_catalog_database.this) == 0 && aws_glue_catalog_table.this.database_name == "housing"
    error_message = "The table should go into a database that is there already."
  }

  assert {
    condition     = one(aws_glue_catalog_table.this.storage_descriptor).location == "s3://lake/payments/"
    error_message = "Without its slash, a location would also match its neighbours."
  }

  assert {
    condition     = aws_glue_catalog_table.this.parameters["projection.batch_id.range"] == "1,100000"
    error_message = "The range should be as told."
  }
}

run "wrong_words" {
  command = plan

  variables {
    database_name = "Housing"
    table_name    = "payments-2026"
    location      = "s3://lake"
    columns       = []
    max_batch_id  = 0
    tags          = { "aws:owner" = "data-platform" }
  }

  expect_failures = [var.database_name, var.table_name, var.location, var.columns, var.max_batch_id, var.tags]
}

run "batch_id_among_the_columns_and_in_the_location" {
  command = plan

  variables {
    columns  = [{ name = "payment_id", type = "bigint" }, { name = "batch_id", type = "bigint" }]
    location = "s3://lake/payments/batch_id=1"
  }

  expect_failures = [var.columns, var.location]
}

run "a_type_of_spark" {
  command = plan

  variables {
    columns      = [{ name = "payment_id", type = "BIGINT" }]
    max_batch_id = 1.5
  }

  expect_failures = [var.columns, var.max_batch_id]
}
