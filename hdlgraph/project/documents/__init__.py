"""The part of `Project` that indexes and searches documents."""
