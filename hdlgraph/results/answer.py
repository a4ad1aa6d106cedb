"""What a question is answered with: a text, and the place in the sources of each statement."""

from __future__ import annotations

from typing import Any

import msgspec

from hdlgraph.results.search import SearchResult


class Citation(msgspec.Struct, frozen=True, omit_defaults=True):
    """A numbered source of an answer.

    Of a document that has no lines `line` and `end_line` are 0, and `page` says where it is, or
    `section` where there are no pages either. `url` is where it is read on the web.
    """

    marker: int
    path: str
    line: int
    end_line: int
    page: int = 0
    section: str = ""
    url: str = ""

    @property
    def place(self) -> str:
        """Returns the place as an answer writes it: `path:3-5`, `path, page 2`."""
        if self.line:
            span = f"-{self.end_line}" if self.end_line > self.line else ""
            return f"{self.path}:{self.line}{span}"
        if self.page:
            return f"{self.path}, page {self.page}"
        return f"{self.path}, section {self.section}" if self.section else self.path


EXTRACTIVE = "extractive"
"""Stands for the model of an answer that was quoted rather than written."""


class Answer(msgspec.Struct, frozen=True):
    """An answer with its citations and the search that it rests on.

    `found` is False when nothing in the index answers the question; `weak` says why the evidence
    was too weak to answer from, "" when it was not. `removed` counts citations of a model that
    name nothing it was shown, `uncited` its sentences without one. Tokens are those of the
    model's calls for this answer; 0 for a stored one.
    """

    question: str
    text: str
    citations: tuple[Citation, ...]
    result: SearchResult
    model: str = EXTRACTIVE
    found: bool = True
    weak: str = ""
    removed: int = 0
    uncited: int = 0
    notes: tuple[str, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object (`schema` 1)."""
        return {
            "schema": 1,
            "question": self.question,
            "answer": self.text,
            "model": self.model,
            "found": self.found,
            "weak": self.weak,
            "citations": msgspec.to_builtins(self.citations),
            "removed": self.removed,
            "uncited": self.uncited,
            "notes": [*self.notes, *self.result.notes],
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "hits": msgspec.to_builtins(self.result.hits),
            **self._lists(),
            "stale": self.result.stale.to_dict(),
        }

    def _lists(self) -> dict[str, Any]:
        """Returns the passages and the routing, where documents are indexed."""
        result = self.result
        if not result.passages and result.routing is None:
            return {}
        return {
            "passages": msgspec.to_builtins(result.passages),
            "routing": msgspec.to_builtins(result.routing),
        }
