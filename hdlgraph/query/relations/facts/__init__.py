"""What is known of a question and of units beside their edges: values, statements, names."""
