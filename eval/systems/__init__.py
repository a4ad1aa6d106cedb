"""The retrieval systems under comparison."""
