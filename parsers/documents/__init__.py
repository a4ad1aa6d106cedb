"""Readers of documents: bytes of a manual, page or table to sections with their places."""
