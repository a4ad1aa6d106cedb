"""The files of trained models."""
