output "bucket" {
  description = "Name of the bucket."
  value       = aws_s3_bucket.data.bucket
}

output "landing" {
  description = "Where the jobs look for new data, by job."
  value = {
    (module.repairs.job_name)  = "${local.data}/landing/repairs/"
    (module.payments.job_name) = "${local.data}/landing/payments/"
  }
}

output "start_command" {
  description = "Starts a night by hand: the first job, and then the second."
  value       = "aws glue start-trigger --region ${var.region} --name ${module.repairs.trigger_names["on_demand"]}"
}

output "log_group_names" {
  description = "Where the scripts log, by job."
  value = {
    (module.repairs.job_name)  = module.repairs.log_group_names["output"]
    (module.payments.job_name) = module.payments.log_group_names["output"]
  }
}

output "watermarks_url" {
  description = "Address of the watermarks in the AWS console."
  value       = module.watermarks.console_url
}

output "dashboard_url" {
  description = "Address of the dashboard in the AWS console."
  value       = module.monitoring.dashboard_url
}

output "topic_arn" {
  description = "ARN of the topic that alarms go to."
  value       = module.monitoring.topic_arn
}
