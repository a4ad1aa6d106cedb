"""Question sets over documents: which passages answer, and how many of them are found."""
