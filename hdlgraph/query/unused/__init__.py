"""What nothing drives, reads, connects, uses or instantiates."""
