"""The command that tells who reaches an address."""
