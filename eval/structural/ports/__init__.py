"""Ports and signals of modules against slang's elaboration, with and without defines."""
