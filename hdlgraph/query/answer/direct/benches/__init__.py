"""What direct answers say of testbenches: classes, keys, plusargs, messages, coverage, checks."""
