"""Writes the texts that people read: names as written, whole sentences, each with its subject."""
