"""Explanations written from facts and comments, without a language model."""
