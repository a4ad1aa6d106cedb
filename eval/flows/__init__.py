"""Flows of retrieval and generation over documents, compared with the same generator."""
