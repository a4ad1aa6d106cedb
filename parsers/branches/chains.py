"""The `ifdef chains of a file, and what each of their branches asks for."""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from hdlgraph.parsers.text.directives import define_spans, is_guard
from hdlgraph.parsers.text.source import Source

MOST_NEEDS = 300
"""A branch that asks for more, deep inside others or far down a chain, is not read for itself."""
MOST_BRANCHES = 20_000
"""Of a file with more no other branches are read than those that slang takes."""

Literal = tuple[str, bool]
"""A macro, and whether it is to be defined."""

_DIRECTIVE = re.compile(
    r"`(ifdef|ifndef|elsif|else|endif)\b(?:[ \t]*((?<=[ \t])[A-Za-z_]\w*|\([^\n]*\)))?"
)
_PARTS = re.compile(r"\s*(!?)\s*([A-Za-z_]\w*)\s*")
_NO_FACTS = re.compile(r"`(?:define|undef|undefineall|timescale|default_nettype|pragma|line)\b.*")
_WORD = re.compile(r"[A-Za-z_]")


@dataclass(slots=True)
class Branch:
    """One branch of a chain: offsets of its text, its lines, and what must hold to be read.

    `own` is what its directive asks for. `line` and `end_line` are those of the directives around
    it. One that is not `telling` holds directives at most.
    """

    begin: int
    line: int
    own: tuple[Literal, ...]
    needs: tuple[Literal, ...]
    chain: int
    end: int = 0
    end_line: int = 0
    telling: bool = False
    is_far: bool = False


@dataclass(slots=True)
class Chain:
    """An `ifdef with its `elsif and `else: its branches and the spans of its directives.

    `parent` is the branch that it stands in, -1 for none. A `guard` keeps a file from being read
    twice: it is never decided otherwise than slang does.
    """

    parent: int
    branches: list[int] = field(default_factory=list)
    directives: list[tuple[int, int]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    guard: bool = False


@dataclass(frozen=True, slots=True)
class Chains:
    """All chains of a file, each before those inside it, and their branches."""

    chains: Sequence[Chain]
    branches: Sequence[Branch]

    def names(self) -> set[str]:
        """Returns the macros that conditions name, those of guards excepted."""
        return {name for chain in self.chains if not chain.guard for name in chain.names}

    def telling(self) -> bool:
        """Returns whether a branch, guards excepted, may hold facts."""
        return len(self.branches) <= MOST_BRANCHES and any(
            self.branches[at].telling
            for chain in self.chains
            if not chain.guard
            for at in chain.branches
        )


def chains_of(source: Source) -> Chains:
    """Returns the chains of a file; one that nothing ends is left out with all behind it."""
    chains: list[Chain] = []
    branches: list[Branch] = []
    stack: list[int] = []
    defines = define_spans(source)
    for match in _DIRECTIVE.finditer(source.code):
        if _inside(match.start(), defines):
            continue
        word, condition = match[1], (match[2] or "").strip()
        if word in ("ifdef", "ifndef"):
            parent = chains[stack[-1]].branches[-1] if stack else -1
            chains.append(Chain(parent))
            stack.append(len(chains) - 1)
        elif not stack:
            continue
        at = stack[-1]
        chain = chains[at]
        line = source.line_of(match.start())
        if chain.branches:
            last = branches[chain.branches[-1]]
            last.end, last.end_line = match.start(), line
        chain.directives.append(match.span())
        if word == "endif":
            stack.pop()
        elif word == "else":
            _open(branches, chains, at, match.end(), line, ())
        else:
            own = _literals(condition, negated=word == "ifndef")
            chain.names.update(name for name, _ in own)
            chain.guard |= word == "ifndef" and is_guard(condition, line, source)
            _open(branches, chains, at, match.end(), line, own)
    if stack:
        first = chains[stack[0]].branches[0]
        return Chains(chains[: stack[0]], branches[:first])
    _tell(chains, branches, source, defines)
    return Chains(chains, branches)


def _open(
    branches: list[Branch],
    chains: list[Chain],
    at: int,
    begin: int,
    line: int,
    own: tuple[Literal, ...],
) -> None:
    chain = chains[at]
    outer = branches[chain.parent] if chain.parent >= 0 else None
    needs = list(outer.needs) if outer else []
    too_many = (outer is not None and outer.is_far) or len(needs) + len(chain.branches) > MOST_NEEDS
    for former in () if too_many else chain.branches:
        # Of `A && B` that must not hold it is enough that A does not.
        needs += [(name, not value) for name, value in branches[former].own[:1]]
    needed = () if too_many else tuple(dict.fromkeys((*needs, *own)))
    branches.append(Branch(begin, line, own, needed, at, is_far=too_many))
    chain.branches.append(len(branches) - 1)


def _literals(condition: str, *, negated: bool) -> tuple[Literal, ...]:
    """Returns what a condition asks for; one that is no plain conjunction is a name of its own."""
    if not condition.startswith("("):
        return ((condition, not negated),)
    inner = condition.strip()[1:-1]
    parts = [_PARTS.fullmatch(part) for part in inner.split("&&")]
    if negated or not all(parts):
        return ((condition, not negated),)
    return tuple((part[2], not part[1]) for part in parts if part)


def _inside(offset: int, spans: Sequence[tuple[int, int]]) -> bool:
    at = bisect.bisect_right(spans, (offset, len(spans) and spans[-1][1] + 1)) - 1
    return at >= 0 and spans[at][0] <= offset < spans[at][1]


def _tell(
    chains: list[Chain], branches: list[Branch], source: Source, defines: list[tuple[int, int]]
) -> None:
    """Marks the branches whose own text, that of chains inside left out, may hold facts."""
    inner: dict[int, list[tuple[int, int]]] = {}
    for chain in chains:
        if chain.parent >= 0:
            inner.setdefault(chain.parent, []).append(
                (chain.directives[0][0], chain.directives[-1][1])
            )
    for at, branch in enumerate(branches):
        start, parts = branch.begin, []
        first = bisect.bisect_left(defines, (branch.begin, 0))
        skipped = defines[first : bisect.bisect_left(defines, (branch.end, 0))]
        for begin, end in sorted([*inner.get(at, ()), *skipped]):
            if begin >= start:
                parts.append(source.code[start:begin])
                start = end
        parts.append(source.code[start : branch.end])
        branch.telling = not branch.is_far and any(
            _WORD.search(_NO_FACTS.sub("", part)) for part in parts
        )
