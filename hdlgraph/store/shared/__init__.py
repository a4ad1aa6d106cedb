"""A shared index: generations in a bucket, one pointer to the valid one, a cache of each reader."""
