"""Chooses few sets of decisions that together read every branch of a file's `ifdefs.

Slang reads the branches that hold for it. For the others the text is written anew: some macros are
decided, the branches that then do not hold are blanked, and so are the directives, so that every
character keeps its place.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from hdlgraph.parsers.branches.chains import Branch, Chains

MOST = 12
"""Sets of decisions for one file, beyond what slang takes by itself."""
MOST_CHARS = 6_000_000
"""Characters of one file that are read again, all its sets together."""
_TEXT = re.compile(r"[^\n]")


@dataclass(frozen=True, slots=True)
class Choice:
    """A set of decisions: the macros it defines, the text to read and the lines that are new.

    `lines` are (first, last) of the branches that no set before it has read.
    """

    defines: tuple[str, ...]
    text: str
    lines: tuple[tuple[int, int], ...]


def choices(
    chains: Chains, taken: Collection[int], defined: Collection[str], text: str
) -> Iterator[Choice]:
    """Yields sets of decisions until each branch that may hold facts is read.

    Args:
        chains: those of the file.
        taken: the branches that slang takes by itself.
        defined: macros that hold where nothing else tells.
        text: of the file.
    """
    guards = {at for chain in chains.chains if chain.guard for at in chain.branches[:1]}
    left = [
        at
        for at, branch in enumerate(chains.branches)
        if branch.telling and at not in taken and at not in guards
    ]
    for _ in range(min(MOST, MOST_CHARS // max(len(text), 1))):
        if not left:
            return
        forced = _forced([chains.branches[at] for at in left])
        read = _read(chains, forced, taken, defined)
        new = [at for at in left if at in read]
        if not new:
            left = left[1:]  # nothing makes it hold: it contradicts itself
            continue
        left = [at for at in left if at not in read]
        yield Choice(
            tuple(sorted(name for name, value in forced.items() if value and name.isidentifier())),
            _written(chains, read, text),
            tuple((chains.branches[at].line, chains.branches[at].end_line) for at in new),
        )


def _forced(wanted: list[Branch]) -> dict[str, bool]:
    """Returns the decisions that the first branch needs, and the others as far as they agree."""
    forced: dict[str, bool] = {}
    for branch in wanted:
        needs = dict(branch.needs)
        sound = len(needs) == len(branch.needs)
        if sound and all(forced.get(name, value) == value for name, value in needs.items()):
            forced.update(needs)
    return forced


def _read(
    chains: Chains, forced: dict[str, bool], taken: Collection[int], defined: Collection[str]
) -> set[int]:
    """Returns the branches that are read under some decisions."""
    read: set[int] = set()
    for chain in chains.chains:
        if chain.parent >= 0 and chain.parent not in read:
            continue
        own = [at for at in chain.branches if at in taken]
        if chain.guard:
            read.update(own or chain.branches[:1])
        elif forced.keys().isdisjoint(chain.names) and (chain.parent < 0 or chain.parent in taken):
            read.update(own)
        else:
            read.update(_first(chains, chain.branches, forced, own, defined))
    return read


def _first(
    chains: Chains,
    branches: list[int],
    forced: dict[str, bool],
    own: Collection[int],
    defined: Collection[str],
) -> list[int]:
    """Returns the first branch of a chain that holds, if any; `own` is what slang takes of it."""
    for at in branches:
        asked = chains.branches[at].own
        if all(forced.get(name, value if at in own else name in defined) == value
               for name, value in asked):  # fmt: skip
            return [at]
    return []


def _written(chains: Chains, read: set[int], text: str) -> str:
    """Returns the text with directives and branches that are not read as blanks."""
    blank: list[tuple[int, int]] = []
    for chain in chains.chains:
        blank += chain.directives
        for at in chain.branches:
            if at not in read:
                branch = chains.branches[at]
                blank.append((branch.begin, branch.end))
    parts: list[str] = []
    done = 0
    for begin, end in sorted(blank):
        if end <= done:
            continue
        begin = max(begin, done)
        parts += (text[done:begin], _TEXT.sub(" ", text[begin:end]))
        done = end
    return "".join([*parts, text[done:]])
