"""Prompt texts, one .txt per language-model call."""
