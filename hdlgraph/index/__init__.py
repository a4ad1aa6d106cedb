"""Makes an index: discover, parse, explain, link, lexical, embed, graphrag."""
