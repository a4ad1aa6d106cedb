"""The documents of an index as a question sees them; each part is made when it is first needed."""

from __future__ import annotations

import re
from collections.abc import Callable
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
)

STRENGTH = {IMPLEMENTS: 1.0, DESCRIBED_BY: 0.8, MENTIONS: 0.5}
"""What an edge counts where one list raises the other, times its own weight."""
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
    def _rows(self) -> np.ndarray:
        """Returns the vectors as float32: a product with those on disk takes 30 times as long."""
        assert self.vectors is not None
        return np.ascontiguousarray(self.vectors[1], np.float32)

    def of_kind(self, kind: str) -> np.ndarray:
        """Returns the numbers of the passages of a kind, or of all for ""."""
        rows = [n for n, one in enumerate(self.passages) if not kind or one.kind == kind]
        return np.asarray(rows, np.int64)

    def cosines(self, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns how near each passage is to a question: its beginning, and its best window."""
        assert self.vectors is not None
        owners = self.vectors[0]
        near = self._rows @ vector
        whole = np.full(len(self.passages), -1.0, np.float32)
        first = np.flatnonzero(np.r_[True, np.diff(owners) != 0]) if len(owners) else owners
        whole[owners[first]] = near[first]
        best = whole.copy()
        np.maximum.at(best, owners, near)
        return whole, best
