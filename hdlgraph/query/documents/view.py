"""The documents of an index as a question sees them; each part is made when it is first needed."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import numpy as np

from hdlgraph.query.documents.scores import Field
from hdlgraph.store.documents.folder import Stored
from hdlgraph.store.documents.homes import NAMED, described_by, home_of
from hdlgraph.store.documents.records import (
    DESCRIBED_BY,
    IMPLEMENTS,
    MENTIONS,
    REGISTER,
    Link,
    Place,
    StoredPassage,
)

STRENGTH = {IMPLEMENTS: 1.0, DESCRIBED_BY: 0.8, MENTIONS: 0.5}
"""What an edge counts where one list raises the other, times its own weight."""
MOST_LINES = 2_000_000
"""Line from which on nothing of a document is put together again."""
SCORED = 4
"""Questions whose passages are scored at one time."""
SHORT = 3
"""Letters up to which the name of a register alone names none."""
_FIELD = re.compile(r"^\[[\d:]+\] (\w{1,100})", re.MULTILINE)


class DocumentsView:
    """The passages of an index.

    Args:
        stored: as it stands on disk.
        load_embedder: gives the embedder of passages, None to search by words alone.
    """

    def __init__(self, stored: Stored, load_embedder: Callable[[], Any | None]) -> None:
        self.manifest = stored.manifest
        self.documents = stored.contents.documents
        self.passages = stored.contents.passages
        self.vectors = stored.vectors
        self.fields = {name: Field(one) for name, one in stored.words.items()}
        self._links = stored.contents.links
        self._load = load_embedder
        self._of_kind: dict[str, np.ndarray] = {}

    @cached_property
    def embedder(self) -> Any | None:
        """Returns the embedder that made the vectors, None where it is not there."""
        found = self._load() if self.vectors is not None else None
        return found if found is not None and found.name == self.manifest.embedder else None

    @cached_property
    def prior(self) -> np.ndarray:
        """Returns what is added to the score of each passage."""
        return np.asarray([one.prior for one in self.passages], np.float32)

    @cached_property
    def links(self) -> dict[int, list[Link]]:
        """Returns the links of each passage that has any."""
        found: dict[int, list[Link]] = {}
        for link in self._links:
            found.setdefault(link.passage, []).append(link)
        return found

    @cached_property
    def edges(self) -> dict[str, dict[int, float]]:
        """Returns for each file the passages that lead to it, and how much each does."""
        found: dict[str, dict[int, float]] = {}
        for link in self._links:
            known = found.setdefault(link.path, {})
            worth = STRENGTH.get(link.kind, 0.0) * link.weight
            known[link.passage] = max(known.get(link.passage, 0.0), worth)
        return found

    def home_of(self, number: int) -> str:
        """Returns the folder that a passage is about, "" for all of the repository."""
        one = self.passages[number]
        path = self.documents[one.places[0].document].path
        if path.startswith(NAMED):
            return ""
        return described_by(path) if one.kind == REGISTER else home_of(path)

    @cached_property
    def homes(self) -> dict[str, np.ndarray]:
        """Returns the passages about each folder, but for those about all of the repository."""
        found: dict[str, list[int]] = {}
        for number in range(len(self.passages)):
            found.setdefault(self.home_of(number), []).append(number)
        return {home: np.asarray(rows) for home, rows in sorted(found.items()) if home}

    @cached_property
    def register_names(self) -> dict[str, list[int]]:
        """Returns the passages of each register and field by its name in capitals.

        Registers are there by NAME and BLOCK.NAME, fields by REGISTER.FIELD.
        """
        found: dict[str, list[int]] = {}
        for number, one in enumerate(self.passages):
            if one.kind != REGISTER:
                continue
            name = one.title.rpartition(".")[2].upper()
            fields = [f"{name}.{field.upper()}" for field in _FIELD.findall(one.text)]
            # A short name such as EN or GO may be a word that is written in capitals.
            own = [name] if len(name) > SHORT else []
            for known in (*own, one.title.upper(), *fields):
                found.setdefault(known, []).append(number)
        return found

    @cached_property
    def is_register(self) -> np.ndarray:
        """Returns which passages are registers."""
        return np.asarray([one.kind == REGISTER for one in self.passages], bool)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Returns the number of each document by its path."""
        return {one.path: number for number, one in enumerate(self.documents)}

    def has_lines(self, number: int) -> bool:
        """Returns whether a document is a text that is cited by its lines."""
        return any(place.line for place, _ in self.parts(number))

    def parts(self, number: int) -> list[tuple[Place, StoredPassage]]:
        """Returns the passages of a document in order, with their places in it."""
        found = [(p, one) for one in self.passages for p in one.places if p.document == number]
        return sorted(found, key=lambda part: (part[0].page, part[0].line))

    def extracted(self, number: int) -> str:
        """Returns what was extracted of a document, each line where it stands in that.

        A document without lines has a line for each page, or title, before its text.
        """
        parts = self.parts(number)
        if not self.has_lines(number):
            heads = [f"page {p.page}" if p.page else one.title for p, one in parts]
            return "\n\n".join(
                f"{head}\n{one.text}" for head, (_, one) in zip(heads, parts, strict=True)
            )
        lines: list[str] = []
        for place, one in parts:
            text = one.text.split("\n")
            first = max(place.line, place.end_line - len(text) + 1)
            if one.kind == REGISTER:
                first = place.line
            if first < MOST_LINES:
                lines += [""] * (first - 1 + len(text) - len(lines))
            if first > place.line and place.line <= len(lines):
                lines[place.line - 1] = one.title
            if first + len(text) - 1 <= len(lines):
                lines[first - 1 : first - 1 + len(text)] = text
        return "\n".join(lines)

    @cached_property
    def _rows(self) -> np.ndarray:
        """Returns the vectors as float32: a product with those on disk takes 30 times as long."""
        assert self.vectors is not None
        return np.ascontiguousarray(self.vectors[1], np.float32)

    @cached_property
    def _owners(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the passages that have vectors, and the row at which those of each begin."""
        assert self.vectors is not None
        return np.unique(self.vectors[0], return_index=True)

    @cached_property
    def threads(self) -> ThreadPoolExecutor:
        """Returns threads in which passages are scored while files are searched."""
        return ThreadPoolExecutor(SCORED, thread_name_prefix="embed documents")

    def of_kind(self, kind: str) -> np.ndarray:
        """Returns the numbers of the passages of a kind, or of all for ""."""
        found = self._of_kind.get(kind)
        if found is None:
            rows = [n for n, one in enumerate(self.passages) if not kind or one.kind == kind]
            found = self._of_kind[kind] = np.asarray(rows, np.int64)
        return found

    def cosines(self, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns how near each passage is to a question: its beginning, and its best window."""
        assert self.vectors is not None
        # One text at a time: together their sums would be made in another order.
        near = self._rows @ vector
        owners, first = self._owners
        whole = np.full(len(self.passages), -1.0, np.float32)
        best = whole.copy()
        if len(first):
            whole[owners] = near[first]
            best[owners] = np.maximum.reduceat(near, first)
        return whole, best
