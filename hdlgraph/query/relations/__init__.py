"""Questions that name a relation of the design, and the files and edges that answer them."""
