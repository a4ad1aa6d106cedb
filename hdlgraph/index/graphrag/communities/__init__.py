"""GraphRAG's communities over the design graph, and their reports."""
