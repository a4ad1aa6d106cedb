"""The command that lists what nothing uses."""
