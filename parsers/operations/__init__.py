"""What the code of a unit does, found in its text: operations and state machines."""
