"""Exact answers from the graph: what a name is, its users, what is below it, walks, impact."""
