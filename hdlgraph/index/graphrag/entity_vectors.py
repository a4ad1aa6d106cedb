"""Vectors of GraphRAG's entities and text units, composed of texts that are embedded already.

A long text's vector is the normalised mean of its parts' (as GraphRAG itself does). The parts
are the surfaces that search embeds: a file's head, purpose and behaviour. Only names and second
units of a file are embedded anew, and kept for the next build.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from zipfile import BadZipFile

from hdlgraph.words import split_identifier

if TYPE_CHECKING:
    import numpy as np

    from hdlgraph.index.embed.embedder import Embedder
    from hdlgraph.index.graphrag.entities import Entity
    from hdlgraph.model import Explanation

MAX_CHARS = 600
KEPT = "parts.npz"


class VectorLookup(Protocol):
    """Vectors that are known already."""

    def get(self, texts: Iterable[str]) -> dict[str, np.ndarray]:
        """Returns the vectors (float32, normalised) of those texts that are known."""
        ...


class SurfaceVectors:
    """The surfaces of a generation: their texts by file, and their vectors."""

    def __init__(self, generation: Path, paths: Sequence[str], embedder: str) -> None:
        from hdlgraph.store.surfaces import StoredSurfaces

        self.of_path: dict[str, dict[str, str]] = {}
        self._rows: dict[str, int] = {}
        self._vectors: np.ndarray | None = None
        stored = StoredSurfaces.find(generation)
        if stored is None:
            return
        for row, surface in enumerate(stored.texts):
            if surface.file < len(paths):
                self.of_path.setdefault(paths[surface.file], {}).setdefault(
                    surface.kind, surface.text
                )
            self._rows.setdefault(surface.text, row)
        if stored.models.embedder == embedder and stored.vectors is not None:
            self._vectors = stored.vectors.rows()

    def get(self, texts: Iterable[str]) -> dict[str, np.ndarray]:
        """Returns the vectors of those texts that are surfaces."""
        if self._vectors is None:
            return {}
        return {t: self._vectors[self._rows[t]] for t in texts if t in self._rows}


class KeptVectors:
    """Vectors that an earlier build had to compute, by hash of the text, as float16."""

    def __init__(self, file: Path, embedder: str) -> None:
        import numpy as np

        self._embedder = embedder
        self._rows: dict[str, int] = {}
        self._vectors: np.ndarray | None = None
        try:
            with np.load(file, allow_pickle=False) as data:
                if str(data["embedder"]) == embedder:
                    keys, vectors = data["keys"].tolist(), data["vectors"]
                    if vectors.dtype == np.float16 and vectors.shape[:-1] == (len(keys),):
                        self._rows = {key: row for row, key in enumerate(keys)}
                        self._vectors = vectors
        except (OSError, ValueError, KeyError, EOFError, MemoryError, BadZipFile, zlib.error):
            return  # none yet, or damaged: only time is lost

    def get(self, texts: Iterable[str]) -> dict[str, np.ndarray]:
        """Returns the vectors of those texts that were computed."""
        if self._vectors is None:
            return {}
        import numpy as np

        rows = ((text, self._rows.get(_key(text))) for text in texts)
        return {t: self._vectors[r].astype(np.float32) for t, r in rows if r is not None}


def keep(file: Path, embedder: str, vectors: Mapping[str, np.ndarray]) -> None:
    """Writes computed vectors for `KeptVectors`."""
    import numpy as np

    texts = sorted(vectors)
    np.savez(
        file,
        embedder=np.asarray(embedder),
        keys=np.asarray([_key(text) for text in texts], dtype="U40"),
        vectors=np.asarray([vectors[text] for text in texts], np.float16),
    )


def _key(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:40]


def entity_parts(
    entity: Entity, surfaces: Mapping[str, str], about: Explanation | None
) -> list[str]:
    """Returns the texts that an entity's vector is made of.

    Args:
        entity: the entity.
        surfaces: texts of its file by kind (head, purpose, behaviour); empty without an index.
        about: explanation of its file.
    """
    purpose = surfaces.get("purpose") or (about.purpose if about else "")
    head = surfaces.get("head", "")
    if entity.kind == "concept":
        parts = [entity.name]
    elif entity.kind == "file":
        parts = [head, purpose]
    else:
        name = " ".join(split_identifier(entity.name))
        if entity.lead:
            parts = [name, head, purpose]
        else:
            text = entity.description.partition("). ")[2].strip()
            parts = [name, text[:MAX_CHARS] or head]
    return [part for part in dict.fromkeys(parts) if part.strip()] or [entity.name]


def unit_parts(surfaces: Mapping[str, str], about: Explanation | None) -> list[str]:
    """Returns the texts that the vector of an explanation's text unit is made of."""
    found = [surfaces.get("purpose", ""), surfaces.get("behaviour", "")]
    if not any(found) and about:
        found = [about.purpose, about.behaviour[:MAX_CHARS]]
    return [part for part in dict.fromkeys(found) if part.strip()] or (
        [about.path] if about else []
    )


@dataclass(frozen=True)
class Composed:
    """Vectors (n, dim), how many parts were embedded now, and those that no surface holds."""

    rows: np.ndarray
    embedded: int
    own: dict[str, np.ndarray]


def compose(
    parts: Sequence[Sequence[str]],
    embedder: Embedder,
    surfaces: VectorLookup | None = None,
    kept: VectorLookup | None = None,
) -> Composed:
    """Returns a vector for each list of parts: their normalised mean.

    Computed vectors pass through float16, so that kept and fresh ones are the same.
    """
    import numpy as np

    missing = {text for texts in parts for text in texts}
    known = surfaces.get(missing) if surfaces else {}
    missing -= known.keys()
    own = kept.get(missing) if kept else {}
    missing -= own.keys()
    if missing:
        unknown = sorted(missing)
        fresh = embedder.embed(unknown).astype(np.float16).astype(np.float32)
        own.update(zip(unknown, fresh, strict=True))
    known.update(own)
    out = np.zeros((len(parts), embedder.dim), np.float32)
    for row, texts in enumerate(parts):
        total = np.sum([known[text] for text in texts], axis=0, dtype=np.float32)
        norm = float(np.linalg.norm(total))
        out[row] = total / norm if norm > 0 else total
    return Composed(out, len(missing), own)
