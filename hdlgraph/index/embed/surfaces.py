"""Computes the surfaces, the texts of a file that are embedded: its head, purpose and behaviour.

Each has a vector of its own and one for every token (`token_vectors.py`). Comments are not
embedded apart: what they say of a file stands in its explanation, and token by token they take a
third of the time and change nothing (.52 / .57 recall@1 with them, .52 / .62 without).

`hdlgraph.store.surfaces` says what of it stands on disk.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hdlgraph.index.embed.batches import away, in_batches
from hdlgraph.index.embed.token_vectors import write_passages
from hdlgraph.index.explain.texts import Texts, as_texts
from hdlgraph.index.kept.functions import kept
from hdlgraph.index.kept.unchanged import all_stamps
from hdlgraph.model import Explanation, FileRecord
from hdlgraph.store.packed.slices import Slices, Slicing
from hdlgraph.store.surfaces import Models, Surface, make_folder, write_texts, write_vectors
from hdlgraph.store.vectors.choose import AUTO
from hdlgraph.words import split_identifier

if TYPE_CHECKING:
    from hdlgraph.index.embed.token_vectors import TokenEncoder

MAX_CHARS = 500  # about 110 tokens of the embedder
MAX_WRITTEN = 1600  # of a part that a model or a person wrote: it earns its time
MIN_WORDS = 4
HEAD_LINES = 40  # comments above this line introduce the file
BATCH = 512
_WORDS = re.compile(r"[A-Za-z]{2,}")

Progress = Callable[[int, int], None]
"""Called with (texts done, texts in all)."""


def unheard(done: int, total: int) -> None:
    """Ignores progress."""


def spaced(identifier: str) -> str:
    """Returns an identifier or path as words."""
    return " ".join(split_identifier(identifier))


def surfaces_of(number: int, record: FileRecord, explanation: Explanation | None) -> list[Surface]:
    """Returns the surfaces of one file, in a fixed order."""
    out = [Surface(number, "head", 1, _head(record))]
    if explanation is not None:
        out += _explained(number, explanation.for_search())
    return out


@kept
def _head(record: FileRecord) -> str:
    units = _unit_names(record)
    comments = [record.header, *(u.comment for u in record.units[:3])]
    comments += [c.text for c in record.comments if c.line <= HEAD_LINES]
    comment = " ".join(" ".join(dict.fromkeys(text for text in comments if text)).split())
    return f"{spaced(record.path.rsplit('.', 1)[0])}. {units}. {comment}"[:MAX_CHARS]


def _unit_names(record: FileRecord) -> str:
    return ", ".join(spaced(u.name) for u in record.units[:3])


def _explained(number: int, explanation: Explanation) -> list[Surface]:
    """Returns the purpose with its concepts, and the behaviour.

    One vector of the whole is as good (.63 against .62 recall@1 on explained samples) at twice
    the tokens; the best sentence alone is much worse (.38).
    """
    limit = MAX_CHARS if explanation.model == "deterministic" else MAX_WRITTEN
    purpose = f"{explanation.purpose} {', '.join(explanation.concepts)}".strip()
    # Concepts stand last in the purpose and are worth .05 recall@1: leave room for them.
    out = [Surface(number, "purpose", 1, purpose[: limit + 100])]
    words = _WORDS.finditer(explanation.behaviour)  # long texts are not read to their end
    if any(islice(words, MIN_WORDS - 1, None)):
        out.append(Surface(number, "behaviour", 1, explanation.behaviour[:limit]))
    return out


def build_surfaces(
    records: Sequence[FileRecord],
    explanations: Mapping[str, Explanation],
    embedder: Any | None,
    cache: Any | None,
    generation: Path,
    progress: tuple[Progress, Progress] = (unheard, unheard),
    encoder: TokenEncoder | None = None,
    store: str = AUTO,
    slicing: Slicing | None = None,
) -> tuple[int, int]:
    """Writes surfaces and vectors; vectors of known texts come from the cache.

    Args:
        records: facts of all files, sorted by path.
        explanations: explanation of each path.
        embedder: an Embedder, or None to store texts only.
        cache: object with get_many/put_many(namespace, ...) or None.
        generation: the generation's folder.
        progress: the first is told of the vectors of the texts, the second of those of their
            tokens.
        encoder: gives the token vectors, or None to leave them out.
        store: which vector store, as `embedding.store` names it.
        slicing: the slices of the generation.

    Returns:
        (surfaces, texts embedded now).
    """
    out = make_folder(generation)
    slices = _sliced(slicing or Slicing(generation), records, as_texts(explanations))

    def surfaces(number: int) -> list[Surface]:
        return surfaces_of(number, records[number], explanations.get(records[number].path))

    kinds = write_texts(slices, surfaces)
    vectors, embedded, models = None, 0, Models()
    wanted = embedder is not None or encoder is not None
    told = [one for number in range(len(records) if wanted else 0) for one in surfaces(number)]
    if embedder is not None:
        texts = [s.text for s in told]
        vectors, embedded = embed_texts(texts, embedder, cache, progress[0])
        models = Models(embedder.name, int(embedder.dim))
    if encoder is not None:
        models = replace(models, token_vectors=encoder.name)
        passages = passages_of(told, records)
        embedded += write_passages(passages, encoder, cache, out, progress[1])
    write_vectors(out, kinds, vectors, models, store)
    return len(kinds), embedded


def _sliced(slicing: Slicing, records: Sequence[FileRecord], explained: Texts) -> Slices:
    """Returns the slices of surfaces: they depend on a file's number, facts and explanation."""
    paths = [record.path for record in records]
    numbers = np.arange(len(records), dtype=np.int64).tobytes()
    parts = [numbers, all_stamps(records), explained.digests(paths)]
    rows = [np.frombuffer(one, np.uint8).reshape(len(records), -1) for one in parts if records]
    rows = [one * rows[1].any(axis=1, keepdims=True) for one in rows]  # zeros where nothing is kept
    return slicing.group("surfaces", paths, np.hstack(rows).tobytes() if rows else b"")


def passages_of(surfaces: Sequence[Surface], records: Sequence[FileRecord]) -> list[str]:
    """Returns the passage of each surface whose token vectors are kept.

    A file is as near to a question as its best tokens: of the head only the names count, as the
    purpose repeats its comment.
    """
    out = []
    for surface in surfaces:
        if surface.kind == "head":
            record = records[surface.file]
            out.append(f"{spaced(record.path.rsplit('.', 1)[0])}. {_unit_names(record)}")
        else:
            out.append(surface.text)
    return out


def vector_key(embedder: Any, text: str) -> str:
    """Returns the cache key of a text's vector."""
    return f"{embedder.name}:{hashlib.sha256(text.encode()).hexdigest()}"


def embed_texts(
    texts: Sequence[str],
    embedder: Any,
    cache: Any | None,
    progress: Progress = unheard,
) -> tuple[np.ndarray, int]:
    """Returns (vectors float32 (n, dim), texts embedded now); each batch is cached as it ends.

    `progress` is told how many of the different texts have a vector, known ones included.
    """
    unique = sorted(set(texts), key=lambda t: (len(t), t))
    keys = {text: vector_key(embedder, text) for text in unique}
    known = cache.get_many("vectors", list(keys.values())) if cache else {}
    found = {t: np.frombuffer(known[k], np.float16) for t, k in keys.items() if k in known}
    missing = [t for t in unique if t not in found]
    progress(len(found), len(unique))
    batches = in_batches(missing, embedder, BATCH)
    for at, exact in away(embedder, embedder.embed, batches):
        batch, vectors = batches[at], exact.astype(np.float16)
        found.update(zip(batch, vectors, strict=True))
        if cache:
            cache.put_many(
                "vectors", {keys[t]: v.tobytes() for t, v in zip(batch, vectors, strict=True)}
            )
        progress(len(found), len(unique))
    out = np.zeros((len(texts), embedder.dim), np.float32)
    for row, text in enumerate(texts):
        out[row] = found[text]
    return out, len(missing)
