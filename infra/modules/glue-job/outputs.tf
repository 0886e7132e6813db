output "job_name" {
  description = "Name of the job."
  value       = aws_glue_job.this.name
}

output "job_arn" {
  description = "ARN of the job."
  value       = aws_glue_job.this.arn
}

output "role_name" {
  description = "Name of the job's role."
  value       = aws_iam_role.this.name
}

output "role_arn" {
  description = "ARN of the job's role."
  value       = aws_iam_role.this.arn
}

output "policy_json" {
  description = "What the role may do besides watermarks and further_policies, as JSON."
  value       = data.aws_iam_policy_document.job.json
}

output "script_uri" {
  description = "Where the script is, as s3://bucket/key."
  value       = local.uris[var.script_path]
}

output "wheel_uris" {
  description = "Where the wheels are, as s3://bucket/key, in the order of wheel_paths."
  value       = [for path in var.wheel_paths : local.uris[path]]
}

output "log_group_names" {
  description = "Names of the job's log groups. From Glue 5 on, output has what the script logs, error what Spark does."
  value       = { for kind, group in aws_cloudwatch_log_group.this : kind => group.name }
}

output "trigger_names" {
  description = "Names of the job's triggers, by kind (on_demand, schedule, after_jobs); only those there are."
  value = merge(
    { for trigger in aws_glue_trigger.on_demand : "on_demand" => trigger.name },
    { for trigger in aws_glue_trigger.schedule : "schedule" => trigger.name },
    { for trigger in aws_glue_trigger.after_jobs : "after_jobs" => trigger.name },
  )
}
