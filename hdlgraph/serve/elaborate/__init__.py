"""The command that elaborates a design."""
