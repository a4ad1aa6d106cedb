"""Values of the cache in files of their own."""
