# Everything between `terraform apply` and a watermark that moves every night: the table, a bucket, two jobs one after the
# other, the second one's target for Athena, a dashboard and alarms. Applies as it is, after `make build`:
#
#   terraform -chdir=infra/examples/complete init && terraform -chdir=infra/examples/complete apply

locals {
  scripts = "${path.module}/../../../scripts/jobs"

  # What `make build` left, unless told otherwise.
  built_wheels = [
    for name in fileset("${path.module}/../../../dist", "glue_watermarks-*.whl") : "${path.module}/../../../dist/${name}"
  ]
  wheel_paths = var.wheel_path == null ? local.built_wheels : [var.wheel_path]

  # Named here, because the table must know its jobs, and each job what the table lets it do.
  repairs  = "repairs-load"
  payments = "payments-load"

  data = "s3://${aws_s3_bucket.data.bucket}"
}

module "watermarks" {
  source = "../../modules/table"

  job_names           = [local.repairs, local.payments]
  deletion_protection = var.deletion_protection
}

# Every night: the repairs that are new or were changed.
module "repairs" {
  source = "../../modules/glue-job"

  name        = local.repairs
  description = "Loads new and changed repairs, told by last_modified."

  script_path            = "${local.scripts}/repairs_by_last_modified.py"
  wheel_paths            = local.wheel_paths
  artifacts_bucket       = aws_s3_bucket.data.bucket
  watermarks_policy_json = module.watermarks.job_policy_json_by_job[local.repairs]

  source_paths = ["${local.data}/landing/repairs"]
  target_paths = ["${local.data}/lake/repairs"]
  arguments = {
    "--source" = "${local.data}/landing/repairs"
    "--target" = "${local.data}/lake/repairs"
  }

  schedule         = var.schedule
  triggers_enabled = var.triggers_enabled
}

# Then, if that went well: the payments that are new.
module "payments" {
  source = "../../modules/glue-job"

  name        = local.payments
  description = "Loads new payments, told by their id."

  script_path            = "${local.scripts}/payments_by_id.py"
  wheel_paths            = local.wheel_paths
  artifacts_bucket       = aws_s3_bucket.data.bucket
  watermarks_policy_json = module.watermarks.job_policy_json_by_job[local.payments]

  source_paths = ["${local.data}/landing/payments"]
  target_paths = ["${local.data}/lake/payments"]
  arguments = {
    "--source" = "${local.data}/landing/payments"
    "--target" = "${local.data}/lake/payments"
  }

  after_jobs        = { (module.repairs.job_name) = "SUCCEEDED" }
  on_demand_trigger = false # a night is begun by hand with the first job's
  triggers_enabled  = var.triggers_enabled
}

# SELECT account, sum(amount) FROM housing.payments GROUP BY account
module "payments_catalog" {
  source = "../../modules/target-catalog"

  database_name = "housing"
  table_name    = "payments"
  description   = "Payments, a batch for each committed run of ${local.payments}."
  location      = "${local.data}/lake/payments"

  columns = [
    { name = "payment_id", type = "bigint" },
    { name = "account", type = "string" },
    { name = "amount", type = "decimal(12,2)", comment = "Negative: a refund." },
    { name = "paid_at", type = "timestamp" },
  ]
}

module "monitoring" {
  source = "../../modules/monitoring"

  emails = var.emails

  # A night may start late, so a little more than a day.
  jobs = {
    (module.repairs.job_name) = {
      sources              = { repairs = { max_mark_age_hours = 26 } }
      expected_every_hours = 26
    }
    (module.payments.job_name) = {
      sources              = { payments = {} } # told by id: its mark has no age
      expected_every_hours = 26
    }
  }
}
