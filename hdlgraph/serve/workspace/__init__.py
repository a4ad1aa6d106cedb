"""The command `workspace`, and what others do with several repositories."""
