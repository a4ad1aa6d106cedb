"""What drives and reads signals, from the syntax trees of pyslang."""
