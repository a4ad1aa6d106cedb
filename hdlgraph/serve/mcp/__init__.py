"""The door for language models: tools over the Model Context Protocol."""
