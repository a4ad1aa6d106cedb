"""What commands print for people, and lines for editors."""
