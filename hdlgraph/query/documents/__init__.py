"""Ranks the sections of documents, and the registers, for questions."""
