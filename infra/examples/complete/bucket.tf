# One bucket for all: scripts and wheels below glue-jobs/, what arrives below landing/, what the jobs write below lake/.

resource "aws_s3_bucket" "data" {
  #checkov:skip=CKV_AWS_18:Whether reads are logged, and where to, is up to the account: CloudTrail's data events, or a log bucket.
  #checkov:skip=CKV_AWS_144:A copy in another Region is a choice about disasters, not one of an example.
  #checkov:skip=CKV2_AWS_62:Jobs run by schedule here; nothing waits for events of the bucket.
  bucket        = var.bucket_name
  bucket_prefix = var.bucket_name == null ? "glue-watermarks-" : null
}

resource "aws_s3_bucket_public_access_block" "data" {
  bucket = aws_s3_bucket.data.bucket

  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_ownership_controls" "data" {
  bucket = aws_s3_bucket.data.bucket

  rule {
    object_ownership = "BucketOwnerEnforced"
  }
}

resource "aws_s3_bucket_server_side_encryption_configuration" "data" {
  bucket = aws_s3_bucket.data.bucket

  rule {
    bucket_key_enabled = true

    apply_server_side_encryption_by_default {
      sse_algorithm = "aws:kms" # the key that AWS manages for S3, which needs no policy
    }
  }
}

resource "aws_s3_bucket_versioning" "data" {
  bucket = aws_s3_bucket.data.bucket

  versioning_configuration {
    status = "Enabled"
  }
}

# A retry overwrites its batch, and a killed one leaves half an upload: neither should be paid for long.
resource "aws_s3_bucket_lifecycle_configuration" "data" {
  count = var.keep_old_versions_days == 0 ? 0 : 1

  bucket = aws_s3_bucket.data.bucket

  rule {
    id     = "clean-up"
    status = "Enabled"

    filter {}

    abort_incomplete_multipart_upload {
      days_after_initiation = 7
    }

    noncurrent_version_expiration {
      noncurrent_days = var.keep_old_versions_days
    }
  }

  depends_on = [aws_s3_bucket_versioning.data]
}

resource "aws_s3_bucket_policy" "data" {
  count = var.plain_http ? 0 : 1

  bucket = aws_s3_bucket.data.bucket
  policy = data.aws_iam_policy_document.bucket.json

  # S3 refuses to change both at the same time.
  depends_on = [aws_s3_bucket_public_access_block.data]
}

data "aws_iam_policy_document" "bucket" {
  statement {
    sid       = "EncryptedConnectionsOnly"
    effect    = "Deny"
    actions   = ["s3:*"]
    resources = [aws_s3_bucket.data.arn, "${aws_s3_bucket.data.arn}/*"]

    principals {
      type        = "*"
      identifiers = ["*"]
    }

    condition {
      test     = "Bool"
      variable = "aws:SecureTransport"
      values   = ["false"]
    }
  }
}
