"""The lines that say why a file answers a question for a relation."""
