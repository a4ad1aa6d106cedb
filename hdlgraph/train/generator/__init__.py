"""Tunes a language model on an exported index: QLoRA, judged on files kept apart."""
