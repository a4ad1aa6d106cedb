"""What the exact engines answer to a question that names its subject, placed before all else."""
