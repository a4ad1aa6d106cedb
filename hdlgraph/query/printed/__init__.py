"""What a run prints: messages with their values filled in, names of checks, paths of instances."""
