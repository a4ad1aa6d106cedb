"""How true the facts of the design are, measured against elaboration by slang."""
