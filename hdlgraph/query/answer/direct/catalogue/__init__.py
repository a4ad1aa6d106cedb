"""Answers of the design's catalogue: where a name is declared, what a folder has, the tops."""
