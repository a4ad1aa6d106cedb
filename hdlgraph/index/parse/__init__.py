"""Reads the facts of all files in worker processes."""
