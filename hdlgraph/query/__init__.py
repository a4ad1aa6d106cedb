"""Answers questions from an index: analyses them, ranks files, shows why, writes answers."""
