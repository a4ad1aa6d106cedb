"""Questions that are names and nothing else: whole ones, parts of one, misspelt ones."""
