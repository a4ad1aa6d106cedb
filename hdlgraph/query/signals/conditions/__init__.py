"""Conditions and values as people read them: reduced by constants, double negations, parameters."""
