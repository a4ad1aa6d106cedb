"""Project: everything hdlgraph can do with one repository; every front end calls only this."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import IndexUnsafeError, UsageError, WeightsMissingError
from hdlgraph.settings.locate import FOLDER, find_index, load_settings, root_of
from hdlgraph.settings.options import adjusted, check_roles, with_models
from hdlgraph.settings.records import Settings

if TYPE_CHECKING:
    from hdlgraph.graph.graph import Graph
    from hdlgraph.index.progress import Progress
    from hdlgraph.index.request import Request
    from hdlgraph.knowledge.dictionary import Dictionary
    from hdlgraph.llm.session import Session
    from hdlgraph.model import Explanation
    from hdlgraph.opened import Opened
    from hdlgraph.query.answer.chat import Conversation
    from hdlgraph.query.assist.assisted import Guide
    from hdlgraph.query.overview.overview import Overview
    from hdlgraph.query.search import Searcher
    from hdlgraph.results import Answer, Estimate, IndexReport, SearchResult
    from hdlgraph.store.folder import Generation
    from hdlgraph.store.manifest import Manifest


class Project:
    """A repository and its index.

    Args:
        root: the repository's folder.
        index_dir: the index folder; ROOT/.hdlgraph by default.
        settings: settings, or the path of a settings.yaml; by default ROOT/settings.yaml if it
            has an `hdlgraph:` section, else the defaults.
    """

    def __init__(
        self,
        root: Path | str = ".",
        index_dir: Path | str | None = None,
        settings: Settings | Path | None = None,
    ) -> None:
        self.root = Path(root).resolve()
        self.folder = Path(index_dir).resolve() if index_dir else self.root / FOLDER
        self._given = settings
        self._opened: Opened | None = None
        self._graph: tuple[tuple[int, int], Graph] | None = None
        self._own_root = True
        self._notes: list[str] = []

    @classmethod
    def open(cls, index_dir: Path | str | None = None, settings: Path | None = None) -> Project:
        """Returns the project of an existing index, found as `locate.find_index` says.

        Raises:
            IndexMissingError: there is none.
            IndexVersionError: another version of hdlgraph wrote it.
        """
        from hdlgraph.store.manifest import read_manifest

        folder = find_index(Path(index_dir) if index_dir else None)
        project = cls(root_of(folder, read_manifest(folder).root), folder, settings)
        project._own_root = folder.name == FOLDER
        return project

    @cached_property
    def settings(self) -> Settings:
        """Returns the settings in force."""
        if isinstance(self._given, Settings):
            return self._given
        return load_settings(self.root, self._given)

    @property
    def settings_file(self) -> Path | None:
        """Returns the settings file that the user named; None for one found in the root."""
        return self._given if isinstance(self._given, Path) else None

    def init(self) -> dict[str, list[str]]:
        """Writes settings.yaml and prompts/ into the root; returns paths written and kept."""
        from hdlgraph.settings.scaffold import write_scaffold

        return write_scaffold(self.root)

    def index(
        self,
        *,
        filelist: Path | None = None,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        data_type: str | None = None,
        jobs: int | None = None,
        embeddings: bool = True,
        graphrag: str | None = None,
        fresh: bool = False,
        explain: str | None = None,
        neighbours: bool | None = None,
        extract: str | None = None,
        max_cost: float | None = None,
        max_tokens: int | None = None,
        batch: bool = False,
        progress: Progress | None = None,
    ) -> IndexReport:
        """Brings the index up to date with the repository and returns what was done.

        Args:
            filelist: a `.f` file that names the sources; all files of the repository without it.
            include: globs of files to take, besides those of the settings.
            exclude: globs of files to leave out, besides those of the settings.
            data_type: text of GraphRAG's documents, "explanations" or "code".
            jobs: parser processes; None takes the settings.
            embeddings: False for a lexical index without vectors.
            graphrag: when to build GraphRAG's tables: "always" at the end of this run,
                "on-demand" when `overview` asks for them, or "never".
            fresh: ignore what earlier runs left; paid answers of models stay on disk.
            explain: "model" has a model explain the files that have no explanation yet,
                "deterministic" also leaves out what a model wrote before; None takes the settings.
            neighbours: whether the model rewrites explanations with those of the graph neighbours
                in sight; True takes `explain="model"`. None takes the settings.
            extract: "ast", "both" or "llm" draws the graph, "ast" without the concepts that a
                model found before; None takes the settings.
            max_cost: USD that models may cost in this run; what is left waits for the next.
            max_tokens: tokens that models may take in this run, input and output together.
            batch: send calls of models through the Batch API.
            progress: called as progress(stage, done, total); if it has a method
                `detail(stage, text)`, that is told tokens and price.

        Raises:
            UsageError: no repository, no Verilog in it, or a model is wanted and the endpoint,
                the prices or the prompts are not in order; nothing was spent.
            IndexLockedError: another run is writing this index.
            HdlgraphError: the index cannot be written; the former one stays valid.
        """
        from hdlgraph.index.progress import silent
        from hdlgraph.index.request import check_root
        from hdlgraph.index.run import run_index

        check_root(self.root)
        settings = adjusted(self.settings, include, exclude, data_type, jobs, embeddings, graphrag)
        settings = with_models(settings, explain, neighbours, extract)
        request = dataclasses.replace(
            self._request(settings, filelist, fresh, explain, extract),
            max_cost=max_cost,
            max_tokens=max_tokens,
            batch=batch,
        )
        return run_index(request, progress or silent)

    def estimate(
        self,
        *,
        filelist: Path | None = None,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        data_type: str | None = None,
        jobs: int | None = None,
        fresh: bool = False,
        explain: str | None = None,
        neighbours: bool | None = None,
        extract: str | None = None,
        batch: bool = False,
        progress: Progress | None = None,
    ) -> Estimate:
        """Returns what `index` with these options would ask of a model, and what that costs.

        Nothing is sent and nothing written; it needs neither an endpoint nor a key.

        Raises:
            UsageError: no repository, no Verilog in it, or a prompt is not in order.
        """
        from hdlgraph.index.estimate.estimate import estimate
        from hdlgraph.index.progress import silent
        from hdlgraph.index.request import check_root

        check_root(self.root)
        settings = adjusted(self.settings, include, exclude, data_type, jobs)
        settings = with_models(settings, explain, neighbours, extract)
        request = self._request(settings, filelist, fresh, explain, extract)
        return estimate(dataclasses.replace(request, batch=batch), progress or silent)

    def _request(
        self,
        settings: Settings,
        filelist: Path | None,
        fresh: bool,
        explain: str | None,
        extract: str | None,
    ) -> Request:
        from hdlgraph.index.request import Request

        return Request(
            self.root,
            self.folder,
            settings,
            filelist,
            fresh,
            settings_file=self.settings_file,
            plain=explain == "deterministic",
            bare=extract in ("ast", "llm"),
        )

    def search(
        self,
        question: str,
        *,
        k: int | None = None,
        hops: int | None = None,
        roles: Collection[str] = (),
        candidates: Collection[str] | None = None,
        rewrite: bool | None = None,
        decompose: bool | None = None,
        rerank: bool | None = None,
    ) -> SearchResult:
        """Returns the files that answer a question best, with evidence.

        What the model fails to deliver for one of the last three is left out, with a note.

        Args:
            question: free text; identifiers in it are matched exactly.
            k: files wanted; None takes the settings.
            hops: edges walked from the first matches, 0 to 2; None takes the settings.
            roles: only files of these roles (rtl, testbench, formal, ...); empty takes all.
            candidates: only these paths; None takes all.
            rewrite: whether the model rewrites the question; None takes the settings.
            decompose: whether it splits the question into parts; None takes the settings.
            rerank: whether it reorders the best 20 files; None takes the settings.

        Raises:
            UsageError: the question is empty, an option is out of range, or the model's help is
                wanted and no model is configured.
        """
        return self._search(
            self._open(),
            question,
            k=k,
            hops=hops,
            roles=roles,
            candidates=candidates,
            rewrite=rewrite,
            decompose=decompose,
            rerank=rerank,
        )

    def _search(
        self,
        opened: Opened,
        question: str,
        k: int | None = None,
        hops: int | None = None,
        roles: Collection[str] = (),
        candidates: Collection[str] | None = None,
        **helped: bool | None,
    ) -> SearchResult:
        import msgspec

        check_roles(roles)
        wanted = self.settings.search
        k = wanted.k if k is None else k
        hops = wanted.hops if hops is None else hops
        with opened.searching() as searcher:

            def plain(text: str, count: int) -> SearchResult:
                return searcher.search(text, count, hops, roles, candidates, aspects=wanted.aspects)

            help = self._help(**helped)
            if help:
                from hdlgraph.query.assist.assisted import Help, guided_search

                switches = Help(**dict.fromkeys(help, True))
                result = guided_search(plain, question, k, switches, self._guide(help))
            else:
                result = plain(question, k)
        return msgspec.structs.replace(result, notes=(*result.notes, *self._notes))

    def _help(self, **given: bool | None) -> list[str]:
        """Returns the switches that are on: as given, else as the settings say."""
        return [
            n for n, on in given.items() if (getattr(self.settings.ask, n) if on is None else on)
        ]

    def _guide(self, help: Sequence[str]) -> Guide:
        from hdlgraph.query.assist.assisted import Guide

        if self.settings.llm.provider == "none":
            raise UsageError(
                f"{', '.join(help)}: needs a language model, and none is configured; name one in "
                "the `llm` section of a settings file and give that with --settings (or "
                "HDLGRAPH_SETTINGS)"
            )
        explanations: dict[str, Explanation] = {}

        def describe(path: str) -> str:
            if not explanations:
                explanations.update(self.explanations())
            found = explanations.get(path)
            return found.to_text().removeprefix(path).lstrip() if found else ""

        return Guide(self.session, self.settings, describe, self.prompts)

    @cached_property
    def session(self) -> Session:
        """Returns the model client of this project's questions.

        Raises:
            UsageError: no model is configured, or a prompt of the user's own cannot be filled.
        """
        from hdlgraph.llm.session import Session
        from hdlgraph.prompts import check_prompts

        if self.prompts:
            check_prompts(self.prompts)
        from hdlgraph.store.guard import check_writable

        try:
            check_writable(self.folder)
        except IndexUnsafeError:
            return Session(self.settings, None)  # nothing is kept in a folder of somebody else
        return Session(self.settings, self.folder)

    @property
    def prompts(self) -> Path | None:
        """Returns the folder of the user's own prompts: beside a settings file named by the user.

        A `prompts` folder that only lies in the repository is not the user's.
        """
        return self.settings_file.parent / "prompts" if self.settings_file else None

    def chat(self, **options: Any) -> Conversation:
        """Returns a conversation, in which follow-ups are understood; options as of `ask`."""
        from hdlgraph.query.answer.chat import Conversation, Rewriter

        rewriter = None
        if self.settings.llm.provider != "none":
            rewriter = Rewriter(self.session, self.settings.llm, self.prompts)
        return Conversation(lambda q, on_text: self.ask(q, on_text=on_text, **options), rewriter)

    def ask(
        self,
        question: str,
        *,
        writer: str | None = None,
        on_text: Callable[[str], None] | None = None,
        progress: Progress | None = None,
        **options: Any,
    ) -> Answer:
        """Returns an answer with citations; for a question about the whole design, its overview.

        Args:
            question: free text.
            writer: "extractive" quotes the index, "model" asks the configured model, "auto" takes
                the model where one is configured; None takes the settings.
            on_text: called with pieces of the answer as they come, all of them in order.
            progress: told where the overview has to be built first.
            **options: as of `search`.

        Raises:
            UsageError: the model is wanted and none is configured, or it refuses the key.
        """
        import msgspec

        from hdlgraph.answering import answer_by_overview, sources_of, writer_of
        from hdlgraph.query.answer.ask import answer_question
        from hdlgraph.query.question.abbreviations import asks_meaning, meaning_notes

        whole, why = answer_by_overview(self, question, on_text, progress, **options)
        if whole is not None:
            return whole
        meanings = meaning_notes(question, self.dictionary()) if asks_meaning(question) else ()
        model = writer_of(self, writer or self.settings.ask.writer)
        opened = self._open()
        with opened.searching() as searcher:
            result = self._search(opened, question, **options)
            if why:
                result = msgspec.structs.replace(result, notes=(*result.notes, why))
            sources = sources_of(self, with_blocks=model is not None)
            return answer_question(question, result, searcher, sources, model, on_text, meanings)

    def overview(
        self,
        level: int = 0,
        *,
        reports: str | None = None,
        max_cost: float | None = None,
        max_tokens: int | None = None,
        progress: Progress | None = None,
    ) -> Overview:
        """Returns the communities of the design: its parts, what they are for, what joins them.

        GraphRAG's tables are built first where they are missing or behind the index.

        Args:
            level: the finest level wanted; 0 is the coarsest.
            reports: "facts" or "model" writes the reports; None takes the settings.
            max_cost: USD that the model may cost.
            max_tokens: tokens that the model may take, input and output together.
            progress: told of the build.

        Raises:
            UsageError: there is no such level, or the settings never build the tables.
            IndexLockedError: another run is writing this index.
            IndexUnsafeError: the tables have to be built, and the index is not the user's own.
            BuildError: the tables could not be built.
        """
        from hdlgraph.index.graphrag.due import describe
        from hdlgraph.index.graphrag.on_demand import communities_of_index
        from hdlgraph.index.progress import silent
        from hdlgraph.query.overview.overview import overview_of

        tables = self.settings.graphrag
        tables = dataclasses.replace(tables, reports=reports or tables.reports)
        settings = dataclasses.replace(self.settings, graphrag=tables)
        request = dataclasses.replace(
            self._request(settings, None, False, None, None),
            max_cost=max_cost,
            max_tokens=max_tokens,
        )
        found, state, usage = communities_of_index(request, progress or silent)
        files, told = len(self.manifest().files), describe(state)
        return overview_of(found, level, root=str(self.root), files=files, tables=told, usage=usage)

    def dictionary(self) -> Dictionary:
        """Returns what short forms stand for: a team's own, the repository's, general ones.

        Raises:
            SettingsError: the file of `search.abbreviations` cannot be used.
        """
        from hdlgraph.knowledge.dictionary import MINED, load_dictionary

        named = self.settings_file
        held = self._generation()
        held.check(MINED)
        return load_dictionary(held.folder, self.root, self.settings.search.abbreviations, named)

    def searcher(self) -> Searcher:
        """Returns the read side of the present generation; loaded again after a new index."""
        with self._open().searching() as searcher:
            return searcher

    def _open(self) -> Opened:
        from hdlgraph.opened import Opened

        held = self._generation()
        if self._opened is None or self._opened.generation.id != held.id:
            # No part of what is opened leads back here: it is let go as soon as the project is.
            known = (self.settings, self._notes)
            self._opened = Opened(held, partial(_embedder, *known), partial(_late, *known))
        return self._opened

    def _generation(self) -> Generation:
        from hdlgraph.store.folder import Store

        return Store(self.folder).hold()

    def manifest(self) -> Manifest:
        """Returns the manifest of the index (IndexMissingError, IndexVersionError)."""
        return self._generation().manifest

    def graph(self) -> Graph:
        """Returns the graph of the present generation."""
        from hdlgraph.graph.graph import Graph

        held = self._generation()
        if self._graph is None or self._graph[0] != held.id:
            held.check("nodes.parquet", "edges.parquet", "unresolved.parquet")
            self._graph = (held.id, Graph.load(held.folder))
        return self._graph[1]

    def show(self, name: str) -> dict:
        """Returns everything known of a name: definitions, ports, parameters, instances, users."""
        from hdlgraph.query.design import show as structure

        return structure.show(self.graph(), name)

    def tree(self, top: str = "", depth: int = 3) -> dict:
        """Returns the instance tree below a unit, or below every top."""
        from hdlgraph.query.design import show as structure

        return structure.tree(self.graph(), top, depth)

    def who(self, name: str) -> dict:
        """Returns every place that uses a name."""
        from hdlgraph.query.design import show as structure

        return structure.who(self.graph(), name)

    def unresolved(self, kind: str = "") -> dict:
        """Returns the names that are used but defined nowhere in the repository."""
        from hdlgraph.query.design import show as structure

        return structure.unresolved(self.graph(), kind)

    def export_graph(self, format: str, target: Path) -> dict[str, int]:
        """Writes the graph as graphml, gexf, json or cypher; returns counts."""
        from hdlgraph.graph.export import export

        graph = self.graph()
        export(graph, format, target)
        return {"nodes": len(graph.nodes), "edges": len(graph.edges)}

    def explanations(self) -> Mapping[str, Explanation]:
        """Returns the explanation of every file, by path."""
        from hdlgraph.store.explanations import read_jsonl

        held = self._generation()
        held.check("explanations.jsonl")
        return read_jsonl(held.folder / "explanations.jsonl")

    def source_text(self, path: str) -> str:
        """Returns the text of an indexed file, "" where it cannot or may not be read any more.

        An index outside of its repository names that itself, and may come from a stranger: then
        a file counts only if it has the content that was indexed.
        """
        from hdlgraph.index.discover.texts import TextReader

        if self._own_root:
            return TextReader(self.root)(path)
        entry = self._generation().manifest.files.get(path)
        return TextReader(self.root)(path, entry.sha256) if entry and entry.sha256 else ""

    def export_explanations(self, target: Path) -> int:
        """Writes the explanations of all files as JSON Lines; returns how many."""
        from hdlgraph.store.explanations import write_jsonl

        return write_jsonl(self.explanations().values(), target)

    def import_explanations(self, source: Path) -> dict[str, int]:
        """Takes explanations over; those of the present content count from the next `index` on.

        Returns:
            How many lines were read, how many match the indexed content of a file, and how
            many imported explanations there are now.
        """
        from hdlgraph.index.explain.share import take_over

        return take_over(self.folder, source)

    def status(self) -> dict:
        """Returns the state of the index and how far the repository has moved since."""
        from hdlgraph.index.status import status_of

        return status_of(self.root, self.folder, self.settings)

    def integrity(self) -> dict:
        """Returns who owns the index ("owner", "own") and which of its files are damaged."""
        from hdlgraph.index.status import integrity_of

        return integrity_of(self.folder)

    def doctor(self) -> list[dict]:
        """Returns checks of the installation and the index, worst first."""
        from hdlgraph.doctor import check_all

        return check_all(self)


def _late(settings: Settings, notes: list[str]) -> Any:
    """Returns the encoder of token vectors; without its weights None, and a note says so."""
    from hdlgraph.index.embed.token_vectors import load_late

    try:
        return load_late(settings.embedding.threads)
    except WeightsMissingError as error:
        notes.append(f"searched without token vectors: {error}")
        return None


def _embedder(settings: Settings, notes: list[str]) -> Any:
    """Returns the embedder of the settings; without its weights None, and a note says so."""
    from hdlgraph.index.embed.embedder import load_embedder

    if settings.embedding.provider == "none":
        return None
    try:
        return load_embedder(settings)
    except WeightsMissingError as error:
        notes[:] = [f"searched by words only: {error}"]
        return None
