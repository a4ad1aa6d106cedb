"""Benchmarks: quality, speed, tokens, cost per call."""
