"""Types and their members: which ones a name means, and what type a signal has."""
