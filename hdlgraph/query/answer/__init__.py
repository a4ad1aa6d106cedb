"""Answers with citations, by a language model or by quoting."""
