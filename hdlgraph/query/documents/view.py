"""The documents of an index as a question sees them; each part is made when it is first needed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from hdlgraph.query.documents.scores import Field
from hdlgraph.store.documents.folder import Stored
from hdlgraph.store.documents.records import Link


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

    def of_kind(self, kind: str) -> np.ndarray:
        """Returns the numbers of the passages of a kind, or of all for ""."""
        rows = [n for n, one in enumerate(self.passages) if not kind or one.kind == kind]
        return np.asarray(rows, np.int64)

    def cosines(self, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns how near each passage is to a question: its beginning, and its best window."""
        assert self.vectors is not None
        owners, rows = self.vectors
        near = rows @ vector
        whole = np.full(len(self.passages), -1.0, np.float32)
        first = np.flatnonzero(np.r_[True, np.diff(owners) != 0]) if len(owners) else owners
        whole[owners[first]] = near[first]
        best = whole.copy()
        np.maximum.at(best, owners, near)
        return whole, best
