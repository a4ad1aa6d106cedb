"""What a design needs: its files, and the definitions that it takes."""

from __future__ import annotations

from dataclasses import dataclass, field

TESTS = frozenset({"testbench", "formal"})
"""Roles of files that a design itself does not need."""


@dataclass(slots=True)
class Closure:
    """What a design needs.

    `sources` are files to compile, in no order; `needs` names for each file those that must come
    before it. `included` maps (file, line of the directive) to (header, name as written).
    `chosen` has the row of the definition taken of each name; `absent` maps (kind, name) of what
    no file defines to the first place. `others` maps (name, place) of a use that the graph links
    to another definition than the chosen one to the row of that; `alike` maps undefined modules
    to the row of one that they may stand for. `votes` has for each name how surely its uses are
    linked to each definition; `reached` are the rows of the units in use.
    """

    sources: set[str] = field(default_factory=set)
    needs: dict[str, set[str]] = field(default_factory=dict)
    included: dict[tuple[str, int], tuple[str, str]] = field(default_factory=dict)
    chosen: dict[str, int] = field(default_factory=dict)
    absent: dict[tuple[str, str], str] = field(default_factory=dict)
    others: dict[tuple[str, str], int] = field(default_factory=dict)
    alike: dict[str, int] = field(default_factory=dict)
    votes: dict[str, dict[int, float]] = field(default_factory=dict)
    reached: set[int] = field(default_factory=set)

    def need(self, path: str, other: str) -> None:
        """Notes that `other` comes before `path`."""
        if path != other:
            self.needs.setdefault(path, set()).add(other)

    def headers(self) -> dict[str, set[str]]:
        """Returns the files that each source includes, directly or not."""
        direct: dict[str, set[str]] = {}
        for (path, _), (header, _) in self.included.items():
            direct.setdefault(path, set()).add(header)
        found = {}
        for source in self.sources:
            below: set[str] = set()
            waiting = [source]
            while waiting:
                fresh = direct.get(waiting.pop(), set()) - below
                below |= fresh
                waiting += fresh
            found[source] = below
        return found
