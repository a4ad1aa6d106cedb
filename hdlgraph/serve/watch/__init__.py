"""The command that keeps an index in step with its repository."""
