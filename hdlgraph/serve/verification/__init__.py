"""The command about verification."""
