"""How a question for a relation is built: its patterns, what it leaves out, how many levels."""
