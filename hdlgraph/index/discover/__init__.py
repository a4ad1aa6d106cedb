"""Which files of a repository are read, and what each is for."""
