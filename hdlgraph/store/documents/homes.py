"""What folder of the design a document or a description of registers is about."""

from __future__ import annotations

import re

FOLDERS = re.compile(r"(?i)(?:^|/)(?:docs?|documentation|manuals?|specs?|datasheets?)/")
"""Folders in which files of formats that hold other things as well are documents."""
NAMED = "@"
"""How the path of a document begins that lies in a root of --docs: `@NAME/...`."""


def home_of(path: str) -> str:
    """Returns the folder that a document is about: that around folders of documents."""
    found = FOLDERS.search(path)
    return path[: found.start()] if found else path.rpartition("/")[0]


def described_by(path: str) -> str:
    """Returns the folder that a description of registers is about: that around `data`."""
    folder = path.rpartition("/")[0]
    return folder.rpartition("/")[0] if folder.rpartition("/")[2] in ("data", "regs") else folder
