"""What a name of a unit means where several things have it, or one has several names."""
