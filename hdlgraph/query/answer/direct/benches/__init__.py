"""What direct answers tell of testbenches: classes, keys, plusargs, messages, coverage, checks."""
