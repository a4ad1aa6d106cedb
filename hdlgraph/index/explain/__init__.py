"""Writes one explanation per file, by rules or by a language model."""
