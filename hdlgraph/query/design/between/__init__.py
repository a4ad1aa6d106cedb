"""How two design units are connected: by a chain of instances, or by nets beside each other."""
