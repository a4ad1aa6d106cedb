"""A stub of an OpenAI-compatible endpoint on loopback."""
