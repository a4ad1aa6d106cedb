"""Makes the lexical index: terms, fields, mined abbreviations."""
