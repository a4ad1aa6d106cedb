"""A process that keeps an index open, and the commands that ask it."""
