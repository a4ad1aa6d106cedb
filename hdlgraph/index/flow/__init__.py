"""What drives and reads signals, written beside the graph."""
