"""What the exact engines answer to a question that names its subject, told before all else."""
