"""Elements of arrays, bits of vectors, members of structures: which ones an expression reads."""
