"""The version of the index folder."""

from __future__ import annotations

INDEX_VERSION = 6
"""Version of the format of the index folder; readers refuse any other one.

It goes up when a reader of the version before would misread what is written now. Cached work needs
no version: its keys hold digests of the code and the inputs that it depends on.
"""
