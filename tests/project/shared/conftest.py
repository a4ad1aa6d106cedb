"""A bucket of an S3 server, where one is installed, and a cache of the test's own."""

from _bucket import own_cache, s3_address, s3_endpoint  # noqa: F401 (fixtures)
