"""Trains small models on a repository's own questions, and judges them before they are used."""
