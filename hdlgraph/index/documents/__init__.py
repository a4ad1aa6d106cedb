"""What turns documents into a searchable index beside that of the design."""
