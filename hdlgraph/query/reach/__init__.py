"""Which block answers at an address, and which hosts reach it."""
