"""What drives a signal: inside of its unit, and through handles of an interface."""
