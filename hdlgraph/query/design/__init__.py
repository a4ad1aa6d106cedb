"""Exact answers from the graph: what a name is, who uses it, what is below it."""
