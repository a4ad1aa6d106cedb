"""The figures of README.md: stored runs, and the tables that are written from them."""
