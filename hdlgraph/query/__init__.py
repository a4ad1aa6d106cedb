"""How a question finds files: analyse, seed, expand, rank, answer."""
