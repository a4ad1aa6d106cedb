"""The graph as parts, one of each file, which are kept while nothing they depend on changes."""
