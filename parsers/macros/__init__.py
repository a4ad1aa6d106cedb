"""Macros of files that another file does not include: which they are, and who may use them."""
