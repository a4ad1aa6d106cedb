"""What a model is shown for a question: which files, which of their statements, and how."""
