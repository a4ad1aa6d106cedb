"""Readings: what a question that has no known form may ask of the design's relations."""
