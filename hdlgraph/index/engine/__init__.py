"""Where the batches of a run are worked on: in this process, or as tasks of a Ray cluster."""
