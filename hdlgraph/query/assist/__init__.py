"""A language model's help for a search: other words, parts, another order."""
