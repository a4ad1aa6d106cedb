"""Runs the stages of an index in order: discover, parse, explain, link, lexical, embed, store."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from hdlgraph.errors import WeightsMissingError
from hdlgraph.index.changes import Changes, compare
from hdlgraph.index.check import outdated
from hdlgraph.index.discover.files import Discovery
from hdlgraph.index.discover.find import find_files
from hdlgraph.index.engine.engine import Engine, check_engine, open_engine
from hdlgraph.index.explain.by_model.language_model import check as check_models
from hdlgraph.index.fork import SecondProcess, no_collection, trim
from hdlgraph.index.graphrag.due import bring_up_to_date
from hdlgraph.index.kept.derived import Derived, names_of
from hdlgraph.index.kept.functions import keeping
from hdlgraph.index.kept.handed import hand_over, take_back
from hdlgraph.index.kept.memory import next_run
from hdlgraph.index.kept.unchanged import Former, all_stamps
from hdlgraph.index.manifest import Done, lasting_options, manifest_of, touched
from hdlgraph.index.parse.held import stored_records
from hdlgraph.index.parse.late import forget
from hdlgraph.index.progress import Meter, Progress, silent
from hdlgraph.index.report import cost_of, report_of
from hdlgraph.index.request import Request, check_root
from hdlgraph.index.shares import EACH
from hdlgraph.index.stages import explaining, linking, reading, searching
from hdlgraph.index.stages.reading import Facts
from hdlgraph.model import FileRecord
from hdlgraph.results import IndexReport, ModelReport
from hdlgraph.store.checksums import checksums_of
from hdlgraph.store.folder import TABLES, Run, Store
from hdlgraph.store.manifest import Manifest, write_manifest
from hdlgraph.store.packed.slices import Slicing
from hdlgraph.store.packed.spilled import aside_in
from hdlgraph.store.vectors.probing import vector_notes

EDIT = 1 / 8
"""Share of changed files up to which linking begins before facts are written."""

if TYPE_CHECKING:
    from hdlgraph.index.embed.embedder import Embedder
    from hdlgraph.index.parse.worker_process import WorkerProcess


def run_index(request: Request, progress: Progress = silent) -> IndexReport:
    """Brings the index of a repository up to date and returns what was done.

    Raises:
        UsageError: there is no repository at `root`, or no Verilog in it; or a model is wanted
            and cannot be asked.
        IndexLockedError: another run is writing this index.
        HdlgraphError: the index cannot be written; the former one stays valid.
    """
    check_root(request.root)
    check_engine(request.engine, request.address)
    check_models(request)
    next_run()
    jobs = request.settings.parse.jobs or reading.usable_cores()
    with (
        Store(request.folder).write() as run,
        Meter(progress) as meter,
        no_collection(),
        aside_in(request.folder),
        closing(open_engine(request.engine, request.address, jobs)) as engine,
        reading.early_worker(request, engine, run.told is not None) as ready,
    ):
        try:
            return _Pipeline(request, run, meter, engine, ready).run()
        finally:
            forget()  # what a server would hold until its next run


class _Pipeline:
    """One run of the stages: its request, and the results so far."""

    def __init__(
        self,
        request: Request,
        run: Run,
        meter: Meter,
        engine: Engine,
        ready: list[WorkerProcess],
    ) -> None:
        self.request, self.run_, self.meter = request, run, meter
        self.engine, self.ready = engine, ready
        self.settings = request.settings
        self.told = None if request.fresh else run.told
        self.counts: dict[str, int] = {}
        self.embedded = 0
        self.left_out: tuple[str, ...] = ()
        self.problems: list[str] = []
        self.notes = list(request.option_notes)
        self.passing: dict[str, str] = {}
        self.whole: Sequence[FileRecord] = ()
        """The facts of all files with their flows, until these are written."""
        self.started = time.time_ns()
        self.alone = False
        """Whether so little changed that no stage after linking makes copies of this process."""

    def run(self) -> IndexReport:
        """Runs all stages, or none when nothing changed."""
        if self.request.fresh:
            self.run_.forget()
        with self.meter.stage("discover") as tick:
            found = find_files(self.request, self.told, tick)
        changes = compare(self.told.files if self.told else {}, found.files)
        # The former generation is still being checked, and no copy of this process is made for few.
        is_early = 0 < changes.size < EACH and not self.engine.spreads
        facts = self._facts(found) if is_early else None
        if self.former is None:
            changes = compare({}, found.files)
        if self.former and not changes.any and self._is_current(self.former, found):
            now = touched(self.request, self.former, found, self._options(found), self.started)
            return self._finish(now, changes)
        folder = self.run_.begin()
        self.engine.start()
        facts = facts or self._facts(found)
        self.slicing = self._slicing(folder)
        few = bool(self.former) and changes.size <= EDIT * len(facts.records)
        self.alone = changes.size < EACH
        if not few:
            facts = self._stored(facts, folder)
        explained = self._written(found, facts, folder, few)
        given = (self.request, self.former, self.meter, found, facts.records, changes, explained)
        manifest = self.run_.commit(manifest_of(*given, self._done(found)))
        self.slicing.note(manifest)
        self.engine.close()
        self.run_.cache.tidy()
        self.run_.swept()
        return self._finish(manifest, changes, explained.models)

    def _written(
        self, found: Discovery, facts: Facts, folder: Path, few: bool
    ) -> explaining.Explained:
        """Writes all but the manifest into the folder of the new generation.

        Args:
            found: the files.
            facts: those of all files.
            folder: that of the generation.
            few: whether facts are still to be written there, as few are new.
        """
        records, keys = facts.records, facts.keys
        derived = Derived(self.run_.cache, "derived", records, facts.kept)
        listed = linking.Listed(tuple(found.projects), found.documents)
        graph = self._link(found, facts, listed)
        try:
            if few:  # beside linking, whose process then shares the little that is in memory
                self._store(derived, facts)
            with keeping(derived):
                early = not few and not facts.again
                if not few:
                    self.run_.cache.pack()  # facts, before what they leave would be a gap
                if early:  # linking is long then, and has one core for itself
                    self._aside(found, records, folder)
                given = (self.request, self.run_, self.meter, records, keys, folder)
                explained = explaining.explain(
                    *given, engine=self.engine, documents=listed.documents
                )
                graph.give(explained.graph_input(records))
                explaining.store(self.slicing, explained.explanations)
                if few and self.alone:
                    self.run_.finished(self.slicing.written())
                if not early:  # linking waits for explanations, or is large beside this
                    self._aside(found, records, folder)
                self._rest(records, explained)
            self._linked(graph, len(records))
        finally:
            graph.stop()
        return explained

    def _facts(self, found: Discovery) -> Facts:
        """Returns the facts of all files but their flows."""
        whole, keys = reading.parse(
            self.request, self.run_, self.meter, found, self.engine, self.ready
        )
        records = reading.without_flows(whole)
        self.whole = reading.Whole(whole, keys, self.run_.cache)
        self.passing = keys.passing
        lasting = (r.path for r in records if r.path not in keys.passing)
        return Facts(records, keys, names_of({path: keys.key(path) for path in lasting}))

    def _slicing(self, folder: Path) -> Slicing:
        """Returns the slices of the new generation, of which many are those of the former one."""
        run, former = self.run_, self.former
        return Slicing(
            folder, run.cache, (run.store.generation(former), former) if former else None
        )

    def _stored(self, facts: Facts, folder: Path) -> Facts:
        """Writes the facts of all files; returns them as the stages after this read them."""
        derived = Derived(self.run_.cache, "derived", facts.records, facts.kept)
        self._store(derived, facts)
        if not reading.are_many(folder):
            return facts
        return facts._replace(records=stored_records(folder), again=True)

    def _store(self, derived: Derived, facts: Facts) -> None:
        """Writes the facts of all files, and holds their flows no longer."""
        paths = [one.path for one in facts.records]
        with keeping(derived):
            slices = self.slicing.group("facts", paths, all_stamps(facts.records))
            reading.store(slices, self.whole, facts.records)
        self.whole = ()

    def _aside(self, found: Discovery, records: Sequence[FileRecord], folder: Path) -> None:
        """Writes what needs no explanations, beside linking."""
        request, run = self.request, self.run_
        searching.near_copies(request, run, self.meter, records, folder)
        searching.verification(request, run, found, records, folder)

    def _rest(self, records: Sequence[FileRecord], explained: explaining.Explained) -> None:
        """Writes what a search reads of explained files, beside linking."""
        request, run, meter = self.request, self.run_, self.meter
        searching.words(request, run, meter, records, explained, self.slicing)
        texts, engine = explained.explanations, self.engine
        self.counts["surfaces"], self.embedded = searching.embed(
            request, run, meter, records, texts, self.embedder, self.slicing, engine
        )

    def _linked(self, graph: SecondProcess[linking.Counted], files: int) -> None:
        """Waits for the end of linking, and takes over its result."""
        with self.meter.stage("link", files):
            done = graph.result()
        self.left_out = done.notes
        self.counts |= done.rows
        self.run_.adopt(done.taken)
        if done.derived is not None:
            take_back(self.run_.cache, linking.LINKED, done.derived)

    def _is_current(self, former: Manifest, found: Discovery) -> bool:
        """Returns whether nothing besides the files calls for a new generation."""
        return not outdated(self.request, former, found, lambda: self.embedder is not None)

    @cached_property
    def former(self) -> Manifest | None:
        """Returns the manifest of the former generation where the run may build on it."""
        return None if self.request.fresh else self.run_.former

    @cached_property
    def embedder(self) -> Embedder | None:
        """Returns the embedder, or None: search then uses words and the graph alone."""
        from hdlgraph.index.embed.embedder import load_embedder

        try:
            return load_embedder(self.settings)
        except WeightsMissingError as error:
            self.problems.append(f"indexed without embeddings: {error}")
            return None

    def _link(
        self,
        found: Discovery,
        facts: Facts,
        listed: linking.Listed,
    ) -> SecondProcess[linking.Counted]:
        """Starts linking in a process of its own, side by side with all that follows parsing."""
        import numpy  # noqa: F401  loaded once for both processes

        trim()  # of the flows
        handed = hand_over(
            self.run_.cache, linking.LINKED, facts.kept.values(), self.run_.folder / "linked.new"
        )
        records, kept = None if facts.again else facts.records, (facts.kept, handed)
        given = (
            self.request,
            records,
            found.incdirs,
            listed,
            self.run_.folder,
            kept,
            self._before(),
        )
        work = partial(linking.link, *given)
        limit_s = linking.LINK_S + linking.LINK_FILE_S * len(facts.records)
        name = f"index {self.request.folder}: linking"
        with self.meter.paused():  # a process is forked only where no other thread runs
            return SecondProcess(name, work, limit_s, waits=True, apart=facts.again)

    def _before(self) -> Former | None:
        """Returns what linking may take over of the former generation."""
        if self.former is None:
            return None
        folder = self.run_.store.generation(self.former)
        return Former(folder, self.former.checksums)

    def _done(self, found: Discovery) -> Done:
        """Returns what the manifest tells of this run besides its files and explanations."""
        return Done(
            self.run_.number,
            self.started,
            self.counts,
            self.embedder.name if self.embedder else "",
            self.passing,
            self.left_out,
            self._options(found),
        )

    def _options(self, found: Discovery) -> dict[str, Any]:
        """Returns the options that the next run is to take from the index."""
        options, notes = lasting_options(self.request, found)
        self.notes += notes
        return options

    def _finish(
        self, manifest: Manifest, changes: Changes, models: ModelReport | None = None
    ) -> IndexReport:
        """Brings GraphRAG's tables up to date where they are wanted, and returns the report."""
        models = models or ModelReport(pending=manifest.pending)
        usage = list(models.usage)
        state = bring_up_to_date(self.request, manifest, self.meter, usage)
        if state != manifest.graphrag:
            fresh = state["state"] == "fresh"
            tables = checksums_of(self.request.folder / TABLES) if fresh else {}
            manifest = msgspec.structs.replace(manifest, graphrag=state, tables=tables)
            write_manifest(self.request.folder, manifest)
            if state["state"] == "failed":
                self.problems.append(f"GraphRAG tables: {state['why']}")
        report = report_of(manifest, changes, self.meter, self.embedded)
        collected = (
            *dict.fromkeys(self.notes),
            *self.engine.notes,
            *self.run_.notes,
            *report.notes,
        )
        notes = (*collected, *vector_notes(self.request.folder / f"gen-{manifest.generation}"))
        models = msgspec.structs.replace(models, usage=tuple(usage), cost=cost_of(usage))
        return msgspec.structs.replace(
            report, notes=notes, problems=tuple(self.problems), models=models
        )
