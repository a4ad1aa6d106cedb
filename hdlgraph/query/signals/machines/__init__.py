"""State machines of a unit: their registers, states and transitions."""
