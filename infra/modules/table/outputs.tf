output "name" {
  description = "Name of the table."
  value       = aws_dynamodb_table.this.name
}

output "arn" {
  description = "ARN of the table."
  value       = aws_dynamodb_table.this.arn
}

output "index_arns" {
  description = "ARNs of the table's indexes, by name (runs-by-time, latest-by-job)."
  value = {
    (local.runs_by_time)  = local.runs_by_time_arn
    (local.latest_by_job) = local.latest_by_job_arn
  }
}

output "console_url" {
  description = "Address of the table's items in the AWS console."
  value       = "https://${local.region}.console.aws.amazon.com/dynamodbv2/home?region=${local.region}#item-explorer?table=${aws_dynamodb_table.this.name}"
}

output "job_policy_json" {
  description = "Policy for a role that runs all the jobs of job_names: read and commit their watermarks, publish metrics. Null without job_names."
  value       = local.job_policy_json
}

output "job_policy_json_by_job" {
  description = "The same policy for one job alone, by the job's name: for jobs with a role each."
  value       = { for name in var.job_names : name => data.aws_iam_policy_document.job[name].json }
}

output "reader_policy_json" {
  description = "Policy to look at every job's watermarks and change nothing."
  value       = data.aws_iam_policy_document.reader.json
}

output "operator_policy_json" {
  description = "Policy of a reader who may also rewind, reset, set and forget."
  value       = data.aws_iam_policy_document.operator.json
}

output "policy_arns" {
  description = "ARNs of the managed policies, by role (job, reader, operator). Empty without create_policies."
  value       = { for role, policy in aws_iam_policy.this : role => policy.arn }
}
