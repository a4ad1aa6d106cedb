"""Fine-tunes all weights of the embedder; needs the extra `train`."""
