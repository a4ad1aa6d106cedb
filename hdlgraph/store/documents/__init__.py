"""The formats of the index of documents."""
