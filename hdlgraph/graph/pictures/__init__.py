"""Pictures of a design: what is drawn, and one writer for each format."""
