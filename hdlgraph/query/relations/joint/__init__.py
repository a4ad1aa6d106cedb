"""Answers to questions for relations found by both ends and the edge between them together."""
