"""Records that leave the program: hits, answers, reports; their JSON forms are documented.

Paths are POSIX and relative to the repository root; lines are 1-based. docs/json.md has the keys.
"""

from __future__ import annotations

import msgspec


class Evidence(msgspec.Struct, frozen=True):
    """One reason for a hit.

    `kind`: identifier, lexical, phrase, passage, dense, graph, role. `walk` lists the edges from
    the seed to the file, each as "source -KIND-> target (path:line)"; empty for direct matches.
    """

    kind: str
    path: str
    line: int
    text: str
    score: float = 0.0
    walk: tuple[str, ...] = ()


class Hit(msgspec.Struct, frozen=True):
    """A ranked file; `rank` from 1, `score` higher is better (not a probability)."""

    rank: int
    path: str
    line: int
    score: float
    role: str = ""
    summary: str = ""
    evidence: tuple[Evidence, ...] = ()


class SearchResult(msgspec.Struct, frozen=True):
    """What `search` returns; `to_dict()` is the JSON contract of every front end."""

    question: str
    hits: tuple[Hit, ...]
    hops: int
    total_files: int
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict:
        """Returns the documented JSON object (`schema` 1)."""
        return {"schema": 1, **msgspec.to_builtins(self)}


class Citation(msgspec.Struct, frozen=True):
    """A numbered source of an answer."""

    marker: int
    path: str
    line: int
    end_line: int


class Answer(msgspec.Struct, frozen=True):
    """An answer with its citations and the search that it rests on."""

    question: str
    text: str
    citations: tuple[Citation, ...]
    result: SearchResult
    model: str = "extractive"

    def to_dict(self) -> dict:
        """Returns the documented JSON object (`schema` 1)."""
        return {
            "schema": 1,
            "question": self.question,
            "answer": self.text,
            "model": self.model,
            "citations": msgspec.to_builtins(self.citations),
            "hits": msgspec.to_builtins(self.result.hits),
        }


class StageTime(msgspec.Struct, frozen=True):
    """Wall seconds of one stage and how many items it treated."""

    stage: str
    seconds: float
    items: int = 0


class IndexReport(msgspec.Struct, frozen=True, kw_only=True):
    """What `index` did. Path lists are sorted; `failed` holds "path: reason" lines."""

    root: str
    files: int
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    unchanged: int = 0
    degraded: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    units: int = 0
    nodes: int = 0
    edges: int = 0
    unresolved: int = 0
    surfaces: int = 0
    embedded: int = 0
    disagreements: int = 0
    file_source: str = ""
    graphrag: str = ""
    stages: tuple[StageTime, ...] = ()
    peak_memory_mb: float = 0.0
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()  # parts of the index that could not be made this time

    def to_dict(self) -> dict:
        """Returns the documented JSON object (`schema` 1)."""
        return {"schema": 1, **msgspec.to_builtins(self)}
