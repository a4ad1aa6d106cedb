"""The version of the index folder."""

from __future__ import annotations

INDEX_VERSION = 8
"""Version of the format of the index folder; readers refuse any but READABLE.

It goes up when a reader of the version before would misread what is written now. Cached work needs
no version: its keys hold digests of the code and the inputs that it depends on.
"""
READABLE = (6, 7, INDEX_VERSION)
"""The versions that are read: the words of version 6 are one segment, without segments.json; the
graph of versions 6 and 7 is one table of each kind."""
