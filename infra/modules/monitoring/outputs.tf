output "dashboard_url" {
  description = "Address of the dashboard in the AWS console."
  value       = "https://${data.aws_region.current.id}.console.aws.amazon.com/cloudwatch/home?region=${data.aws_region.current.id}#dashboards/dashboard/${aws_cloudwatch_dashboard.this.dashboard_name}"
}

output "topic_arn" {
  description = "ARN of the topic that alarms go to, given or created."
  value       = local.topic_arn
}

output "alarm_names" {
  description = "Names of all alarms, sorted."
  value       = sort([for alarm in local.alarms : alarm.alarm_name])
}
