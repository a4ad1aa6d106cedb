"""Register cells, clock and reset trees, and data that crosses between clocks."""
