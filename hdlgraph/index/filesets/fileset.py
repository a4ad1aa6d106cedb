"""A set of files that a project file lists together."""

from __future__ import annotations

from typing import NamedTuple


class Fileset(NamedTuple):
    """Files that are built together.

    `owner` names the core, package or list that has the set, without its version; sets of one
    owner may be alternatives. `depends` are the owners that its files need. `place` is the path of
    the project file; `files` are paths relative to the root.
    """

    owner: str
    place: str
    files: tuple[str, ...]
    depends: tuple[str, ...] = ()
