"""What the design graph and other files add to an answer: users, connections, definitions."""
