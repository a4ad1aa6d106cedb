"""A language server: what editors ask of an index."""
