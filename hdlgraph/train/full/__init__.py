"""Fine-tunes all weights of a model of vectors or token vectors; needs the extra `train`."""
