"""Finds what a repository says of each file: comments that are its own, documents, meanings."""
