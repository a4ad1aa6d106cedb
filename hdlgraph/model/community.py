"""The record of a community: files that belong together, what they are for and what joins them."""

from __future__ import annotations

import msgspec

from hdlgraph.model.graph import Location


class Statement(msgspec.Struct, frozen=True):
    """A statement and the place in the repository where it stands."""

    text: str
    path: str
    line: int

    @property
    def location(self) -> str:
        """Returns the place as path:line."""
        return str(Location(self.path, self.line))


class TopUnit(msgspec.Struct, frozen=True):
    """A unit that a community is known by; `purpose` is that of its file, in a sentence."""

    kind: str
    name: str
    path: str
    line: int
    purpose: str = ""


class Folder(msgspec.Struct, frozen=True):
    """A folder whose files are mostly in a community: its short name, files inside, and in all.

    `name` is the path from its last part on that tells it from other folders.
    """

    name: str
    path: str
    files: int
    total: int


class Connection(msgspec.Struct, frozen=True):
    """What joins a community to another one of the same level.

    `counts` says how often by kind: `instantiates`, `drives` (a net from an output to an input),
    `imports`, `includes`, `extends`, `uses`, `binds`; with `_by` (`driven_by`) the other one does
    it. `examples` are the first of each kind.
    """

    community: int
    title: str
    counts: dict[str, int]
    examples: tuple[Statement, ...] = ()


class Community(msgspec.Struct, frozen=True, kw_only=True):
    """The report of one community.

    `community` is GraphRAG's number, `parent` -1 at level 0. `title` and `purpose` are made of
    facts, or the model's where `model` names one. `roles` counts its files by role, `folders` are
    what its title is made of, `members` its files.
    """

    community: int
    level: int
    parent: int
    title: str
    purpose: str
    files: int
    units: int
    roles: dict[str, int]
    folders: tuple[Folder, ...] = ()
    top_units: tuple[TopUnit, ...] = ()
    connections: tuple[Connection, ...] = ()
    more_connections: int = 0
    findings: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    model: str = ""
