"""The front end for language models: tools over the Model Context Protocol."""
