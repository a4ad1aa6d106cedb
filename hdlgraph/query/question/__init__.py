"""What a question asks: terms, names, parts, abbreviations."""
