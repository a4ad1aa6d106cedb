"""Builds GraphRAG's tables from the graph; the only room that imports GraphRAG."""
