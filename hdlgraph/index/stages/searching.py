"""The stages that search reads: words, near copies, verification, and vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import WeightsMissingError
from hdlgraph.index.discover.files import Discovery
from hdlgraph.index.engine.engine import HERE, Engine
from hdlgraph.index.progress import Meter
from hdlgraph.index.request import Request
from hdlgraph.index.stages.explaining import Explained
from hdlgraph.index.stages.reading import shares_of
from hdlgraph.model import Explanation, FileRecord
from hdlgraph.store.folder import Run
from hdlgraph.store.packed.slices import Slicing

if TYPE_CHECKING:
    from hdlgraph.index.embed.embedder import Embedder
    from hdlgraph.index.embed.token_vectors import TokenEncoder


TOKENS = "embed tokens"
"""What progress calls the second half of the stage `embed`: a vector for each token."""


def words(
    request: Request,
    run: Run,
    meter: Meter,
    records: Sequence[FileRecord],
    explained: Explained,
    slicing: Slicing,
) -> None:
    """Writes the lexical index."""
    from hdlgraph.index.discover.texts import TextReader
    from hdlgraph.index.lexical.write import build_lexical
    from hdlgraph.knowledge.projects import read_chosen
    from hdlgraph.store.words.former import FormerWords

    with meter.stage("words", len(records)):
        reader, shares = TextReader(request.root), shares_of(request, meter)
        folder = slicing.folder
        build_lexical(
            records,
            explained.explanations,
            reader,
            run.cache,
            folder,
            read_chosen(folder),
            explained.facts,
            None if request.fresh else FormerWords(run),
            shares,
            slicing,
        )


def near_copies(
    request: Request, run: Run, meter: Meter, records: Sequence[FileRecord], folder: Path
) -> None:
    """Writes which files are nearly the same."""
    from hdlgraph.index.discover.texts import TextReader
    from hdlgraph.index.near_copies import find
    from hdlgraph.store import lexical

    reader, shares = TextReader(request.root), shares_of(request, meter)
    groups = find.near_copies(records, reader, run.cache, shares)
    lexical.write_near_copies(lexical.make_folder(folder), groups)


def verification(
    request: Request, run: Run, found: Discovery, records: Sequence[FileRecord], folder: Path
) -> None:
    """Writes what the files say of the design's verification."""
    from hdlgraph.index.verification.write import write_verification

    places = (*found.projects, *found.foreign)
    write_verification(folder, request.root, places, records, run.cache)


def embed(
    request: Request,
    run: Run,
    meter: Meter,
    records: Sequence[FileRecord],
    explanations: Mapping[str, Explanation],
    embedder: Embedder | None,
    slicing: Slicing,
    engine: Engine = HERE,
) -> tuple[int, int]:
    """Writes surfaces, structures and vectors; returns (surfaces, texts embedded now)."""
    from hdlgraph.index.embed.structures import build_structures
    from hdlgraph.index.embed.surfaces import build_surfaces
    from hdlgraph.knowledge.projects import read_chosen

    with meter.stage("embed") as tick:
        encoder: Any = _encoder(request, embedder)
        if engine.spreads:
            from hdlgraph.index.embed.away import EmbedderAway, TokenEncoderAway

            embedder = embedder and EmbedderAway(embedder, engine, request.settings)
            encoder = encoder and TokenEncoderAway(encoder, engine, request.settings)
        folder = slicing.folder
        projects = read_chosen(folder)
        build_structures(records, embedder, encoder, run.cache, folder, projects)
        return build_surfaces(
            records,
            explanations,
            embedder,
            run.cache,
            folder,
            (tick, lambda done, total: meter.progress(TOKENS, done, total)),
            encoder,
            request.settings.embedding.store,
            slicing,
        )


def _encoder(request: Request, embedder: Embedder | None) -> TokenEncoder | None:
    """Returns the encoder of token vectors; None where none are wanted or its weights miss."""
    from hdlgraph.index.embed.token_vectors import load_token_encoder

    embedding = request.settings.embedding
    if embedder is None or not embedding.token_vectors:
        return None
    with suppress(WeightsMissingError):  # search says so
        return load_token_encoder(embedding)
    return None
