"""What a run with a language model would send and cost."""
