"""Verification code as its text shows it: classes, factory, TLM, sequences, DPI, test lists."""
