"""Answers about state machines: their states, and the ways into, out of and between these."""
