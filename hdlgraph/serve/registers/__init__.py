"""The command about registers."""
