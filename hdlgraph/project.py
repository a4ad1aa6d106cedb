"""Project: everything hdlgraph can do with one repository; every front end calls only this."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import UsageError, WeightsMissingError
from hdlgraph.locate import FOLDER, find_index, load_settings, root_of
from hdlgraph.settings import Settings

if TYPE_CHECKING:
    from hdlgraph.graph import Graph
    from hdlgraph.index.manifest import Manifest
    from hdlgraph.index.meter import Progress
    from hdlgraph.model import Explanation
    from hdlgraph.query.search import Searcher
    from hdlgraph.results import Answer, IndexReport, SearchResult


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
        self._searcher: tuple[int, Searcher] | None = None
        self._graph: tuple[int, Graph] | None = None
        self._notes: tuple[str, ...] = ()

    @classmethod
    def open(cls, index_dir: Path | str | None = None, settings: Path | None = None) -> Project:
        """Returns the project of an existing index, found as `locate.find_index` says.

        Raises:
            IndexMissingError: there is none.
            IndexVersionError: another version of hdlgraph wrote it.
        """
        from hdlgraph.index.manifest import read_manifest

        folder = find_index(Path(index_dir) if index_dir else None)
        return cls(root_of(folder, read_manifest(folder).root), folder, settings)

    @cached_property
    def settings(self) -> Settings:
        """Returns the settings in force."""
        if isinstance(self._given, Settings):
            return self._given
        return load_settings(self.root, self._given)

    def init(self) -> dict[str, list[str]]:
        """Writes settings.yaml and prompts/ into the root; returns paths written and kept."""
        from hdlgraph.scaffold import write_scaffold

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
            graphrag: "auto", "always" or "never" build GraphRAG's tables.
            fresh: ignore what earlier runs left.
            progress: called as progress(stage, done, total).

        Raises:
            UsageError: no repository, or no Verilog in it.
            IndexLockedError: another run is writing this index.
            HdlgraphError: the index cannot be written; the former one stays valid.
        """
        from hdlgraph.index.meter import silent
        from hdlgraph.index.request import Request, check_root
        from hdlgraph.index.run import run_index

        check_root(self.root)
        settings = adjusted(self.settings, include, exclude, data_type, jobs, embeddings, graphrag)
        named = self._given if isinstance(self._given, Path) else None
        request = Request(self.root, self.folder, settings, filelist, fresh, named)
        return run_index(request, progress or silent)

    def search(
        self,
        question: str,
        *,
        k: int | None = None,
        hops: int | None = None,
        roles: Collection[str] = (),
        candidates: Collection[str] | None = None,
    ) -> SearchResult:
        """Returns the files that answer a question best, with evidence.

        Args:
            question: free text; identifiers in it are matched exactly.
            k: files wanted; None takes the settings.
            hops: edges walked from the first matches, 0 to 2; None takes the settings.
            roles: only files of these roles (rtl, testbench, formal, ...); empty takes all.
            candidates: only these paths; None takes all.
        """
        import msgspec

        check_roles(roles)
        wanted = self.settings.search
        result = self.searcher().search(
            question,
            k=wanted.k if k is None else k,
            hops=wanted.hops if hops is None else hops,
            roles=roles,
            candidates=candidates,
        )
        return msgspec.structs.replace(result, notes=(*result.notes, *self._notes))

    def ask(self, question: str, **options: Any) -> Answer:
        """Returns an answer with citations; the options are those of `search`."""
        from hdlgraph.index.texts import TextReader
        from hdlgraph.query.answer import extractive_answer

        result = self.search(question, **options)
        return extractive_answer(self.searcher(), question, result, TextReader(self.root))

    def searcher(self) -> Searcher:
        """Returns the read side of the present generation; loaded again after a new index."""
        from hdlgraph.query.search import Searcher

        manifest, folder = self._generation()
        if self._searcher is None or self._searcher[0] != manifest.generation:
            self._searcher = (manifest.generation, Searcher.load(folder, self._load_embedder))
        return self._searcher[1]

    def _load_embedder(self) -> Any:
        from hdlgraph.index.embed import load_embedder

        if self.settings.embedding.provider == "none":
            return None
        try:
            return load_embedder(self.settings)
        except WeightsMissingError as error:
            self._notes = (f"searched by words only: {error}",)
            return None

    def _generation(self) -> tuple[Manifest, Path]:
        from hdlgraph.index.store import Store

        store = Store(self.folder)
        manifest = store.manifest()
        return manifest, store.current()

    def manifest(self) -> Manifest:
        """Returns the manifest of the index (IndexMissingError, IndexVersionError)."""
        return self._generation()[0]

    def graph(self) -> Graph:
        """Returns the graph of the present generation."""
        from hdlgraph.graph import Graph

        manifest, folder = self._generation()
        if self._graph is None or self._graph[0] != manifest.generation:
            self._graph = (manifest.generation, Graph.load(folder))
        return self._graph[1]

    def show(self, name: str) -> dict:
        """Returns everything known of a name: definitions, ports, parameters, instances, users."""
        from hdlgraph.query import structure

        return structure.show(self.graph(), name)

    def tree(self, top: str = "", depth: int = 3) -> dict:
        """Returns the instance tree below a unit, or below every top."""
        from hdlgraph.query import structure

        return structure.tree(self.graph(), top, depth)

    def who(self, name: str) -> dict:
        """Returns every place that uses a name."""
        from hdlgraph.query import structure

        return structure.who(self.graph(), name)

    def unresolved(self, kind: str = "") -> dict:
        """Returns the names that are used but defined nowhere in the repository."""
        from hdlgraph.query import structure

        return structure.unresolved(self.graph(), kind)

    def export_graph(self, format: str, target: Path) -> dict[str, int]:
        """Writes the graph as graphml, gexf, json or cypher; returns counts."""
        from hdlgraph.export import export

        graph = self.graph()
        export(graph, format, target)
        return {"nodes": len(graph.nodes), "edges": len(graph.edges)}

    def explanations(self) -> Mapping[str, Explanation]:
        """Returns the explanation of every file, by path."""
        from hdlgraph.index.explanations import read_jsonl

        return read_jsonl(self._generation()[1] / "explanations.jsonl")

    def export_explanations(self, target: Path) -> int:
        """Writes the explanations of all files as JSON Lines; returns how many."""
        from hdlgraph.index.explanations import write_jsonl

        return write_jsonl(self.explanations().values(), target)

    def import_explanations(self, source: Path) -> dict[str, int]:
        """Takes explanations over; those of the present content count from the next `index` on.

        Returns:
            How many lines were read, how many match the indexed content of a file, and how
            many imported explanations there are now.
        """
        from hdlgraph.index.sharing import take_over

        return take_over(self.folder, source)

    def status(self) -> dict:
        """Returns the state of the index and how far the repository has moved since."""
        from hdlgraph.index.status import status_of

        return status_of(self.root, self.folder, self.settings)

    def doctor(self) -> list[dict]:
        """Returns checks of the installation and the index, worst first."""
        from hdlgraph.doctor import check_all

        return check_all(self)


def adjusted(
    settings: Settings,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    data_type: str | None = None,
    jobs: int | None = None,
    embeddings: bool = True,
    graphrag: str | None = None,
) -> Settings:
    """Returns settings with the options of one `index` call laid over them."""
    change = dataclasses.replace
    files = change(
        settings.files,
        include=(*settings.files.include, *include),
        exclude=(*settings.files.exclude, *exclude),
    )
    parse = settings.parse if jobs is None else change(settings.parse, jobs=jobs)
    embedding = settings.embedding if embeddings else change(settings.embedding, provider="none")
    tables = change(
        settings.graphrag,
        enabled=graphrag or settings.graphrag.enabled,
        data_type=data_type or settings.graphrag.data_type,
    )
    return change(settings, files=files, parse=parse, embedding=embedding, graphrag=tables)


def check_roles(roles: Collection[str]) -> None:
    """Raises UsageError for a role that no file can have."""
    from hdlgraph.model import Role

    known = [role.value for role in Role]
    for role in roles:
        if role not in known:
            raise UsageError(f"role {role}: unknown; known are {', '.join(known)}")
