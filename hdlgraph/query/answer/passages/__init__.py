"""Finders of the passages that answer a question: states, resets, parameters, ports, logic."""
