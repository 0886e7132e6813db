output "table_name" {
  description = "Name of the table."
  value       = module.table.name
}

output "table_arn" {
  description = "ARN of the table."
  value       = module.table.arn
}

output "console_url" {
  description = "Address of the table's items in the AWS console."
  value       = module.table.console_url
}

output "job_policy_json" {
  description = "Policy for a role that runs all the jobs of job_names: read and commit their watermarks, publish metrics. Null without job_names."
  value       = module.table.job_policy_json
}

output "job_policy_json_by_job" {
  description = "The same policy for one job alone, by the job's name: for jobs with a role each."
  value       = module.table.job_policy_json_by_job
}

output "reader_policy_json" {
  description = "Policy to look at every job's watermarks and change nothing."
  value       = module.table.reader_policy_json
}

output "operator_policy_json" {
  description = "Policy of a reader who may also rewind, reset, set and forget."
  value       = module.table.operator_policy_json
}

output "policy_arns" {
  description = "ARNs of the managed policies, by role (job, reader, operator). Empty without create_policies."
  value       = module.table.policy_arns
}
