"""Calls sent through the Batch API."""
