"""Reads all branches of a file's `ifdefs: which sets of choices cover them, and what each adds."""
