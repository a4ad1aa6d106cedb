"""Answers from an elaborated design: its tree, its units, and what differs between two of them."""
