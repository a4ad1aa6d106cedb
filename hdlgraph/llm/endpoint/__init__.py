"""One endpoint: its address, connections, limits, failures and repetitions."""
