"""The ranking features: each scores all files for a question."""
