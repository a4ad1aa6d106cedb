"""The stages of a run: each writes its files into the folder of the new generation."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from hdlgraph.errors import WeightsMissingError
from hdlgraph.index.derived import Derived, Handed, Returned, keeping, of_content
from hdlgraph.index.discover.files import Discovery
from hdlgraph.index.discover.source_file import SourceFile
from hdlgraph.index.engine.engine import HERE, Engine
from hdlgraph.index.explain.by_model.kept import plain
from hdlgraph.index.progress import Meter
from hdlgraph.index.request import Request
from hdlgraph.index.shares import Shares
from hdlgraph.model import Explanation, FileRecord
from hdlgraph.results import ModelReport, WriterTrust
from hdlgraph.store.design.facts import write_facts
from hdlgraph.store.folder import Run

if TYPE_CHECKING:
    from hdlgraph.index.concepts.kept import FileConcepts
    from hdlgraph.index.embed.embedder import Embedder
    from hdlgraph.index.embed.token_vectors import TokenEncoder
    from hdlgraph.index.explain.by_model.language_model import RunModel
    from hdlgraph.index.link.link import Told
    from hdlgraph.index.parse.cache import FactKeys, OnDone

Explanations = Mapping[str, Explanation]
TOKENS = "embed tokens"
"""What progress calls the second half of the stage `embed`: a vector for each token."""


def usable_cores() -> int:
    """Returns how many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS
        return os.cpu_count() or 1


def parse(
    request: Request, run: Run, meter: Meter, found: Discovery, engine: Engine = HERE
) -> tuple[list[FileRecord], FactKeys]:
    """Returns the facts of all files, sorted by path, and their cache keys."""
    from hdlgraph.index.parse.cache import FactKeys, collect_facts, included_names
    from hdlgraph.index.parse.macros import borrowed_macros

    with meter.stage("parse", len(found.files)) as tick:
        includes = included_names(request.root, found.files, run.cache)
        how = request.reading(found.defines)
        keys = FactKeys(found.files, includes, found.incdirs, how)
        keys.borrowed = borrowed_macros(request.root, keys, run.cache, found.defines)
        records = collect_facts(keys, run.cache, _parser(request, found, keys, engine), tick)
    return records, keys


def _parser(
    request: Request, found: Discovery, keys: FactKeys, engine: Engine
) -> Callable[..., list[FileRecord]]:
    from hdlgraph.index.parse.batches import setup_of
    from hdlgraph.index.parse.pool import parse_all

    parse = request.settings.parse
    same: dict[str, Any] = {
        "all_paths": [source.path for source in found.files],
        "incdirs": found.incdirs,
        "defines": found.defines,
        "memory_mb": parse.memory_mb,
        "settings": request.settings,
        "borrowed": keys.borrowed,
    }

    def parser(
        sources: Sequence[SourceFile], on_done: OnDone, meanwhile: Callable[[], object]
    ) -> list[FileRecord]:
        done: list[FileRecord] = []
        if engine.spreads:
            from hdlgraph.index.parse.away import ParseWork, parse_away

            work = ParseWork(setup_of(request.root, sources, **same), parse.deadline_s)
            done, sources = parse_away(engine, request.root, sources, keys, work, on_done)
        jobs, limit = parse.jobs or usable_cores(), parse.deadline_s
        here = parse_all(
            request.root,
            sources,
            jobs=jobs,
            deadline_s=limit,
            on_done=on_done,
            meanwhile=lambda: _load(meanwhile),
            **same,
        )
        return [*done, *here]

    return parser


def without_flows(records: Sequence[FileRecord]) -> list[FileRecord]:
    """Returns records without what no stage reads of them after `store`."""
    return [msgspec.structs.replace(one, flows=(), said=()) for one in records]


def store(records: Sequence[FileRecord], plain: Sequence[FileRecord], folder: Path) -> None:
    """Writes records, whose flows and messages go into files of their own; `plain` has none."""
    from hdlgraph.index.flow.write import write_signals

    write_signals(folder, records, plain)
    write_facts(folder, plain)


def _load(more: Callable[[], object]) -> None:
    """Imports what the stages after parsing run in this process, while workers start; does more.

    Of a run after one edit the start of a worker is a good part, in which this process would wait.
    """
    from hdlgraph.index.embed import structures, surfaces  # noqa: F401
    from hdlgraph.index.explain import collect  # noqa: F401
    from hdlgraph.index.lexical import write as words  # noqa: F401
    from hdlgraph.index.verification import write  # noqa: F401

    more()


def _shares(request: Request, meter: Meter) -> Shares:
    return Shares(request.settings.parse.jobs or usable_cores(), meter)


@dataclass(frozen=True)
class Explained:
    """The explanations and concepts of all files, and how many each writer contributed."""

    explanations: dict[str, Explanation]
    concepts: Mapping[str, FileConcepts]
    writers: dict[str, int]
    trust: tuple[WriterTrust, ...]
    models: ModelReport
    digest: str
    facts: Mapping[str, str]
    """The key of each path's facts."""

    def told(self) -> Told:
        """Returns what the graph holds of it."""
        from hdlgraph.index.link.link import Told

        said = {
            path: Explanation(path=path, purpose=e.purpose, concepts=e.concepts, model=e.model)
            for path, e in self.explanations.items()
        }
        return Told(said, self.concepts)


def explain(
    request: Request,
    run: Run,
    meter: Meter,
    records: Sequence[FileRecord],
    keys: FactKeys,
    folder: Path,
    model: RunModel | None = None,
    engine: Engine = HERE,
    documents: Sequence[str] | None = None,
) -> Explained:
    """Writes explanations.jsonl and which project tables are in force.

    Asks a model (`model`, or its own) where the request says so. `documents` are the paths of the
    repository's documents, where they are known.
    """
    from hdlgraph.index.explain.by_model.language_model import RunModel
    from hdlgraph.index.explain.by_model.passes import Passes, run_passes
    from hdlgraph.index.explain.by_rules.evidence.documents import read_texts
    from hdlgraph.index.explain.collect import collect_explanations
    from hdlgraph.knowledge.projects import write_chosen
    from hdlgraph.store.explanations import write_jsonl

    auto = request.settings.knowledge.projects == "auto"
    projects = _evident(records) if auto else ()
    write_chosen(folder, projects)

    facts = {record.path: keys.key(record.path) for record in records}

    def rest(given: Explanations) -> dict[str, Explanation]:
        with meter.stage("explain", len(records)):
            texts = read_texts(request.root, request.settings.files.exclude, documents)
            return collect_explanations(
                records, facts, run.cache, given, projects=projects, texts=texts, engine=engine,
                shares=_shares(request, meter),
            )  # fmt: skip

    # Weak facts are not worth what a model costs, and its words would stay.
    lasting = [record for record in records if record.path not in keys.passing]
    passes = Passes.of(request, records, lasting)
    with model or RunModel(request, meter, engine) as model:
        explanations, concepts = run_passes(passes, model, rest)
        models = passes.report(model)
    explained = Explained(
        {path: plain(item) for path, item in explanations.items()},
        concepts,
        passes.writers(explanations),
        passes.trust(explanations),
        models,
        passes.digest(),
        facts,
    )
    write_jsonl(explained.explanations.values(), folder / "explanations.jsonl")
    return explained


def _evident(records: Sequence[FileRecord]) -> tuple[str, ...]:
    """Returns the projects that a repository shows, as kept where all names are the same."""
    from hdlgraph.knowledge.projects import evident_in, names_in

    names = names_in(records)
    key = msgspec.msgpack.encode(names)
    return of_content("evident", key, tuple[str, ...], lambda: evident_in(names))


LINKED = "linked"
"""The namespace of the cache in which linking keeps what it derives."""
LINK_S, LINK_FILE_S = 900.0, 0.1
"""Linking that takes longer than 15 minutes, and 0.1 s more for each file, is ended and fails.

Counts bound it long before (see `link/candidates.py`); this is for what nobody thought of.
"""


class Listed(NamedTuple):
    """The paths of a repository's project files, and of its documents."""

    projects: tuple[str, ...]
    documents: tuple[str, ...]


class Counted(NamedTuple):
    """The numbers of rows in the graph's tables, and notes on what was left out of them."""

    rows: dict[str, int]
    notes: tuple[str, ...]
    derived: Returned | None = None
    """What was derived, for the next run."""


def link(
    request: Request,
    records: Sequence[FileRecord],
    incdirs: Sequence[str],
    listed: Listed,
    folder: Path,
    kept: tuple[Mapping[str, str], Handed],
    told: Callable[[], Told],
) -> Counted:
    """Writes the graph's tables, registers and short forms; returns what the tables hold.

    Explanations may be written meanwhile: `told` waits for them. `kept` has the keys of what
    earlier runs derived, and what they left: in a process of its own the cache cannot be opened.
    """
    keys, handed = kept
    with keeping(Derived(handed, LINKED, records, keys)):
        found = _link(request, records, incdirs, listed, folder, told)
    return found._replace(derived=handed.to_return())


def _link(
    request: Request,
    records: Sequence[FileRecord],
    incdirs: Sequence[str],
    listed: Listed,
    folder: Path,
    told: Callable[[], Told],
) -> Counted:
    from hdlgraph.index.filesets.read import read_filesets
    from hdlgraph.index.lexical.mine_short_forms import write_definitions
    from hdlgraph.index.link.agreement import trust_of
    from hdlgraph.index.link.link import link_with_notes
    from hdlgraph.index.registers.write import write_found

    broken = write_found(folder, request.root, listed.projects, records)
    paths = {record.path for record in records}
    filesets = read_filesets(request.root, listed.projects, paths)
    write_definitions(request.root, records, listed.documents, folder)
    trust = trust_of(records)
    graph, notes = link_with_notes(records, told, incdirs=incdirs, filesets=filesets)
    graph.save(folder)
    rows = {
        "nodes": len(graph.nodes),
        "edges": len(graph.edges),
        "unresolved": len(graph.unresolved),
        **trust,
    }
    return Counted(rows, (*notes, *broken))


def words(
    request: Request,
    run: Run,
    meter: Meter,
    records: Sequence[FileRecord],
    explained: Explained,
    folder: Path,
) -> None:
    """Writes the lexical index, and which files are nearly the same."""
    from hdlgraph.index.discover.texts import TextReader
    from hdlgraph.index.lexical.write import build_lexical
    from hdlgraph.index.near_copies import near_copies
    from hdlgraph.knowledge.projects import read_chosen
    from hdlgraph.store import lexical
    from hdlgraph.store.words.former import FormerWords

    with meter.stage("words", len(records)):
        reader = TextReader(request.root)
        build_lexical(
            records,
            explained.explanations,
            reader,
            run.cache,
            folder,
            read_chosen(folder),
            explained.facts,
            None if request.fresh else FormerWords(run),
            _shares(request, meter),
        )
        groups = near_copies(records, reader, run.cache)
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
    explanations: Explanations,
    embedder: Embedder | None,
    folder: Path,
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
            encoder = encoder and TokenEncoderAway(encoder, engine)
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
        )


def _encoder(request: Request, embedder: Embedder | None) -> TokenEncoder | None:
    """Returns the encoder of token vectors; None where none are wanted or its weights miss."""
    from hdlgraph.index.embed.token_vectors import load_token_encoder

    embedding = request.settings.embedding
    if embedder is None or not embedding.token_vectors:
        return None
    with suppress(WeightsMissingError):  # search says so
        return load_token_encoder(embedding.threads)
    return None
