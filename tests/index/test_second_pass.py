"""Explanations written anew with those of the neighbours in sight."""

from __future__ import annotations
