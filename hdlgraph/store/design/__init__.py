"""Formats of what is known of the design: facts of its files, and what is worked out of them."""
