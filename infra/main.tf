# The watermarks table, ready to apply as it is:
#
#   terraform -chdir=infra init && terraform -chdir=infra apply

module "table" {
  source = "./modules/table"

  name                   = var.table_name
  kms_key_arn            = var.kms_key_arn
  point_in_time_recovery = var.point_in_time_recovery
  deletion_protection    = var.deletion_protection

  job_names       = var.job_names
  publish_metrics = var.publish_metrics
  create_policies = var.create_policies
}
