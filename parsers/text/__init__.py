"""What plain text says of a file, without a syntax tree."""
