"""Answers about instances: what their ports are connected to, which values they are given."""
