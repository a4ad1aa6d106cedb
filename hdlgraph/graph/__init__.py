"""The design graph: nodes, edges, walks, and its exports."""
