"""Facts from tree-sitter, which survives broken text."""
