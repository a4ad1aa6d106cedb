"""The commands `train`."""
