"""Readers of HDL sources and filelists: text in, FileRecord out; no network."""
