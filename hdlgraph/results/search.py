"""What a search returns: ranked files, each with the evidence and the lines that support it."""

from __future__ import annotations

from typing import Any

import msgspec

from hdlgraph.model.passage import Passage, Routing
from hdlgraph.results.moved import Moved


class Evidence(msgspec.Struct, frozen=True):
    """One reason for a hit.

    `kind`: relation, identifier, lexical, phrase, passage, dense, structure, graph, role. `walk`
    lists the edges from the seed to the file, each as "source -KIND-> target (path:line)"; of
    a relation it is what the edge says, with its place; empty for direct matches.
    """

    kind: str
    path: str
    line: int
    text: str
    score: float = 0.0
    walk: tuple[str, ...] = ()


class SourceLine(msgspec.Struct, frozen=True):
    """A line of a file as it was indexed, without white space at its ends.

    `marks` are the words that match the question, as [start, end) in characters of `text`, sorted;
    a long line is cut to the part around them, with `…` where something is left out.
    """

    line: int
    text: str
    marks: tuple[tuple[int, int], ...] = ()


class Hit(msgspec.Struct, frozen=True):
    """A ranked file; `rank` from 1, `score` higher is better (not a probability).

    `copies` are the files that are nearly the same and were folded into this hit, sorted. `lines`
    are the source lines that say most about the question, the best first. `why` tells in words
    what speaks for the file, the strongest reason first; `evidence` has it in detail.
    """

    rank: int
    path: str
    line: int
    score: float
    role: str = ""
    summary: str = ""
    evidence: tuple[Evidence, ...] = ()
    copies: tuple[str, ...] = ()
    lines: tuple[SourceLine, ...] = ()
    why: tuple[str, ...] = ()


class SearchResult(msgspec.Struct, frozen=True):
    """What `search` returns; `to_dict()` is the JSON contract of every front end.

    `confidence` is the probability, 0 to 1, that the right file is among the first five hits; None
    where it cannot be told (nothing found, a question without content words). `likely` says it in
    words: very likely, likely, perhaps or unlikely; "" for None. `stale` says which files moved
    since the index was made; removed ones are no hits. `passages` are the sections of documents and
    the registers that answer the question, a list of their own; `routing` says which list comes
    first, None where there is but one.
    """

    question: str
    hits: tuple[Hit, ...]
    hops: int
    total_files: int
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    confidence: float | None = None
    likely: str = ""
    stale: Moved = Moved()
    passages: tuple[Passage, ...] = ()
    routing: Routing | None = None

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object (`schema` 1)."""
        found = {"schema": 1, **msgspec.to_builtins(self), "stale": self.stale.to_dict()}
        if self.routing is None:
            del found["routing"]
        return found
