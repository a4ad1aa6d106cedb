"""Commands of the group `eval` that measure documents and answers."""
