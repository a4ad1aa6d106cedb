"""Question sets and corpora."""
