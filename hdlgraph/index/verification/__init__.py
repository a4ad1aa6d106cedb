"""Verification code as its text tells it: classes, factory, TLM, sequences, DPI, test lists."""
