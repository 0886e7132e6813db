output "database_name" {
  description = "Name of the database."
  value       = aws_glue_catalog_table.this.database_name
}

output "table_name" {
  description = "Name of the table."
  value       = aws_glue_catalog_table.this.name
}

output "table_arn" {
  description = "ARN of the table."
  value       = aws_glue_catalog_table.this.arn
}
