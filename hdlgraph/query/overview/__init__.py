"""Answers about the whole of a design, from the communities that its parts form."""
