"""The ranked files as hits: evidence and confidence."""
