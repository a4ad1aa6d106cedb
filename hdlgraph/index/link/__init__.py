"""Links the facts of all files into one graph."""
