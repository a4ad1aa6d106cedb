"""Growth: corpora of many distinct files, what an index of them costs, and curves of it."""
