"""Formats of what is known of the design beside its graph."""
