"""Answers from passages of documents and registers, beside those from the design."""
