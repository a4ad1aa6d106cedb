"""Who drives and reads a signal, clocks, resets and state machines, from stored facts."""
