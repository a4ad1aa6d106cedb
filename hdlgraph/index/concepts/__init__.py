"""Concepts that a language model finds in explanations."""
