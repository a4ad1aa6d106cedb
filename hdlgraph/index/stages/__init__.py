"""The stages of a run: each writes its files into the folder of the new generation."""
