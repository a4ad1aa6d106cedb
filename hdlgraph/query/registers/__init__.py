"""Questions about registers and their fields."""
