"""Answers about one unit that a question names: its ports and parameters, and what it is."""
