"""Descriptions of registers, and the lines of RTL that implement and use them."""
