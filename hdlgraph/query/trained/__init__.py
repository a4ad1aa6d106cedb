"""Uses what was trained on questions: maps of their vectors, and an order of the first files."""
