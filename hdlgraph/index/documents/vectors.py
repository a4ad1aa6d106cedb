"""Embeds passages: the beginning of each, and a long one in windows as well."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from hdlgraph.store.documents.folder import StoredVectors
from hdlgraph.store.documents.records import StoredPassage

if TYPE_CHECKING:
    from collections.abc import Callable

    from hdlgraph.index.embed.embedder import Embedder
    from hdlgraph.settings.records import Settings

TOKENS = 256
"""Of a text that are read: 512 cost a third more and find no more."""
WINDOW = 1_000
"""Characters of a window, some 250 tokens."""
WHOLE = 1_300
"""A text that is no longer needs no windows."""
WINDOWS = 12
"""Of one passage."""
ASIDE = 500
"""Characters that are embedded of what seldom answers."""
_NOISE = re.compile(r"<[^<>]{1,300}>|\]\([^()\s]{1,300}\)|[-=~^*_#|+`]{2,}|[|`\[\]*]")


def load_passage_embedder(settings: Settings) -> Embedder | None:
    """Returns the embedder of the settings for passages, which are longer than summaries.

    Raises:
        WeightsMissingError: its weights are absent.
    """
    from hdlgraph.index.embed.embedder import load_embedder

    longer = dataclasses.replace(settings.embedding, max_tokens=TOKENS)
    return load_embedder(dataclasses.replace(settings, embedding=longer))


def embed_passages(
    passages: Sequence[StoredPassage],
    embedder: Embedder,
    cache: Any,
    tick: Callable[[int, int], None],
) -> tuple[StoredVectors, int]:
    """Returns the vectors of passages and their windows, and how many texts were embedded now."""
    import numpy as np

    from hdlgraph.index.embed.surfaces import embed_texts

    texts: list[str] = []
    owners: list[int] = []
    for number, passage in enumerate(passages):
        for text in texts_of(passage):
            texts.append(text)
            owners.append(number)
    rows, embedded = embed_texts(texts, embedder, cache, tick)
    stored = StoredVectors(
        embedder.name,
        int(embedder.dim),
        np.asarray(owners, "<u4").tobytes(),
        rows.astype("<f2").tobytes(),
    )
    return stored, embedded


def texts_of(passage: StoredPassage) -> Iterator[str]:
    """Yields the texts of a passage that are embedded, its beginning with all titles first.

    Of what seldom answers it is the beginning alone.
    """
    head = ". ".join(dict.fromkeys((*passage.crumbs[-3:], passage.title)))
    text = plain(passage.text)
    if passage.prior < 0:
        yield f"{head}. {text[:ASIDE]}"
        return
    yield f"{head}. {text[: 8 * TOKENS]}"
    if len(text) > WHOLE:
        # The first window is the beginning, which the vector of the whole has.
        for window in islice(windows(text), 1, WINDOWS):
            yield f"{passage.title}. {window}"


def plain(text: str) -> str:
    """Returns a text without the marks of tables, links and code, which say nothing."""
    lines = (" ".join(_NOISE.sub(" ", line).split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def windows(text: str) -> Iterator[str]:
    """Yields a text in pieces of about WINDOW characters, cut between lines where they are short.

    A line that is longer is cut between words.
    """
    held = ""
    for line in text.split("\n"):
        while len(line) > WINDOW:
            cut = line.rfind(" ", WINDOW // 2, WINDOW)
            cut = cut if cut > 0 else WINDOW
            if held:
                yield held
                held = ""
            yield line[:cut]
            line = line[cut:]
        if held and len(held) + len(line) > WINDOW:
            yield held
            held = ""
        held = f"{held}\n{line}" if held else line
    if held:
        yield held
