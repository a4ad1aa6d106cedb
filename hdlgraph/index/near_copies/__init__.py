"""Finds the files of a repository that are nearly the same."""
