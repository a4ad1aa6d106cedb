"""General hardware knowledge as data files, with one reader each."""
