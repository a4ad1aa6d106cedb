"""The index folder: generations, their files, and the cache; one module per format on disk."""
