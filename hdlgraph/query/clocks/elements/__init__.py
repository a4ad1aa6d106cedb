"""Elements of arrays and bits of vectors: which ones an expression reads."""
