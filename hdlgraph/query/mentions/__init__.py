"""The lines that name what a design declares, where no edge says so."""
