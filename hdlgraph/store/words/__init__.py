"""The formats of the words of files: segments, each with the words of some files."""
