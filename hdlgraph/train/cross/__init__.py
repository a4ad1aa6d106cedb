"""Trains a small cross-encoder, which reads a question and what is told of a file together."""
