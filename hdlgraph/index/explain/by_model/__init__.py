"""Explanations written by a language model: two passes over the files."""
