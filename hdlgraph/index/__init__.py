"""How files become an index: discover, parse, link, explain, embed, build, store."""
