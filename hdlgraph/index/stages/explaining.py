"""The stage `explain`: a text on each file, by rules or by a language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from hdlgraph.index.engine.engine import HERE, Engine
from hdlgraph.index.explain.by_model.kept import plain
from hdlgraph.index.explain.texts import Brief, Briefs, Texts
from hdlgraph.index.kept.derived import DIGEST
from hdlgraph.index.kept.functions import kept, of_content
from hdlgraph.index.kept.unchanged import cut, stamp_of
from hdlgraph.index.progress import Meter
from hdlgraph.index.request import Request
from hdlgraph.index.stages.reading import shares_of
from hdlgraph.model import Explanation, FileRecord
from hdlgraph.results import ModelReport, WriterTrust
from hdlgraph.store.explanations import FILE as EXPLANATIONS
from hdlgraph.store.explanations import line_of
from hdlgraph.store.folder import Run
from hdlgraph.store.packed.slices import Slicing

if TYPE_CHECKING:
    from hdlgraph.index.concepts.kept import FileConcepts
    from hdlgraph.index.explain.by_model.language_model import RunModel
    from hdlgraph.index.link.link import Told
    from hdlgraph.index.parse.cache import FactKeys


@dataclass(frozen=True)
class Explained:
    """The explanations and concepts of all files, and how many each writer contributed."""

    explanations: Texts
    concepts: Mapping[str, FileConcepts]
    writers: dict[str, int]
    trust: tuple[WriterTrust, ...]
    models: ModelReport
    digest: str
    facts: Mapping[str, str]
    """The key of each path's facts."""

    def graph_input(self, records: Sequence[FileRecord]) -> Told:
        """Returns what the graph holds of it, for the files of `records`."""
        from hdlgraph.index.link.link import Told

        texts = self.explanations
        found: dict[str, Brief] = {}
        paths = [record.path for record in records]
        digests = texts.digests(paths)
        for one in cut(records):
            make = partial(_briefs, texts, paths[one.begin : one.end])
            key = digests[DIGEST * one.begin : DIGEST * one.end]
            found |= of_content("briefs", key, dict[str, Brief], make)
        return Told(Briefs(found), self.concepts)


def _briefs(texts: Texts, paths: Sequence[str]) -> dict[str, Brief]:
    return {path: texts.brief(path) for path in paths if path in texts}


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
    """Explains all files, and writes which project tables are in force.

    Asks a model (`model`, or its own) where the request says so. `documents` are the paths of the
    repository's documents, where they are known.
    """
    from hdlgraph.index.explain.by_model.language_model import RunModel
    from hdlgraph.index.explain.by_model.passes import Passes, run_passes
    from hdlgraph.index.explain.by_rules.evidence.documents import DocumentTexts
    from hdlgraph.index.explain.collect import collect_explanations
    from hdlgraph.knowledge.projects import write_chosen

    auto = request.settings.knowledge.projects == "auto"
    projects = _evident(records) if auto else ()
    write_chosen(folder, projects)

    facts = {record.path: keys.key(record.path) for record in records}

    def rest(given: Mapping[str, Explanation]) -> Texts:
        with meter.stage("explain", len(records)):
            texts = DocumentTexts(request.root, request.settings.files.exclude, documents)
            return collect_explanations(
                records, facts, run.cache, given, projects=projects, texts=texts, engine=engine,
                shares=shares_of(request, meter),
            )  # fmt: skip

    # Weak facts are not worth what a model costs, and its words would stay.
    lasting = [record for record in records if record.path not in keys.passing]
    passes = Passes.of(request, records, lasting)
    with model or RunModel(request, meter, engine) as model:
        explanations, concepts = run_passes(passes, model, rest)
        models = passes.report(model)
    writers, trust = passes.writers(explanations), passes.trust(explanations)
    for path, item in list(explanations.told().items()):
        explanations[path] = plain(item)
    explained = Explained(
        explanations,
        concepts,
        writers,
        trust,
        models,
        passes.digest(),
        facts,
    )
    return explained


def store(slicing: Slicing, explanations: Texts) -> None:
    """Writes explanations.jsonl, the texts for people, sorted by path."""
    paths = sorted(explanations)
    slices = slicing.group("explanations", paths, explanations.digests(paths))
    slices.write(EXPLANATIONS, lambda number: (line_of(explanations[paths[number]]),), False)


def _evident(records: Sequence[FileRecord]) -> tuple[str, ...]:
    """Returns the projects that a repository shows, as kept where all names are the same."""
    from hdlgraph.knowledge.projects import evident_in, names_in

    key = msgspec.msgpack.encode(([one.path for one in records], stamp_of(unit_names, records)))
    return of_content("evident", key, tuple[str, ...], lambda: evident_in(names_in(records)))


@kept
def unit_names(record: FileRecord) -> tuple[str, ...]:
    """Returns the names of a file's units."""
    return tuple(unit.name for unit in record.units)
