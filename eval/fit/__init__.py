"""Fits constants and judges them: confidence, a linear re-ranker, a projection."""
