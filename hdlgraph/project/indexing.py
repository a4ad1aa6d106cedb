"""Making an index: `Project.index` and `Project.estimate`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import UsageError
from hdlgraph.project.documents.indexing import DocumentsIndexing
from hdlgraph.project.hardware.parameters import Parameters
from hdlgraph.settings.options import adjusted, with_models
from hdlgraph.settings.records import Settings
from hdlgraph.settings.remembered import Options, keepable, lost_list, remembered, words

if TYPE_CHECKING:
    from hdlgraph.index.progress import Progress
    from hdlgraph.index.request import Request
    from hdlgraph.results import Estimate, IndexReport


@dataclasses.dataclass(frozen=True)
class _Taken:
    """The options of one call in force, those of them to remember, and the notes on them."""

    options: Options
    kept: Options
    option_notes: tuple[str, ...]
    trusted: bool

    def of_request(self) -> dict[str, Any]:
        """Returns what a request says of them."""
        return {
            "filelist": self.options.filelist,
            "trusted": self.trusted,
            "options": self.kept.to_dict(),
            "option_notes": self.option_notes,
        }


class Indexing(DocumentsIndexing, Parameters):
    """The part of a project that makes its index."""

    def index(
        self,
        *,
        filelist: Path | None = None,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        data_type: str | None = None,
        jobs: int | None = None,
        embeddings: bool | None = None,
        graphrag: str | None = None,
        reset_options: bool = False,
        fresh: bool = False,
        explain: str | None = None,
        neighbours: bool | None = None,
        extract: str | None = None,
        max_cost: float | None = None,
        max_tokens: int | None = None,
        batch: bool = False,
        elaborate: bool | None = None,
        documents: bool | None = None,
        docs: Sequence[Path] = (),
        engine: str = "local",
        address: str | None = None,
        progress: Progress | None = None,
    ) -> IndexReport:
        """Brings the index up to date with the repository and returns what was done.

        The first six options are remembered: a later call takes those of them that it is not
        given from the index, as far as a repository may set them, and says so in the notes.

        Args:
            filelist: a `.f` file that names the sources; all files of the repository without it.
            include: globs of files to take, besides those of the settings.
            exclude: globs of files to leave out, besides those of the settings.
            data_type: text of GraphRAG's documents, "explanations" or "code".
            embeddings: False for a lexical index without vectors, True to embed again.
            graphrag: when to build GraphRAG's tables: "always" at the end of this run,
                "on-demand" when `overview` asks for them, or "never".
            jobs: processes that read files; None takes the settings.
            reset_options: take no remembered options, and remember those of this call alone.
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
            elaborate: elaborate the design afterwards, which a note tells of and which never
                fails the run; None takes the settings.
            documents: index the documents of the repository as well; None takes the settings, by
                which they are kept in step once they are indexed.
            docs: further folders with documents, which may lie anywhere; what an earlier call
                read of others stays as it was then.
            engine: "local" works in processes of this machine, "ray" on a Ray cluster; the index
                is the same.
            address: HOST:PORT of the cluster; None takes RAY_ADDRESS, else one is started here.
            progress: called as progress(stage, done, total); if it has a method
                `detail(stage, text)`, that is told tokens and price.

        Raises:
            UsageError: no repository, no Verilog in it, or a model is wanted and the endpoint,
                the prices or the prompts are not in order; nothing was spent.
            IndexLockedError: another run is writing this index.
            HdlgraphError: the index cannot be written; the former one stays valid.
        """
        import msgspec

        from hdlgraph.index.progress import silent
        from hdlgraph.index.request import check_root
        from hdlgraph.index.run import run_index

        check_root(self.root)
        given = Options(filelist, tuple(include), tuple(exclude), data_type, embeddings, graphrag)
        taken = self._taken(given, reset_options)
        settings = with_models(self._with(taken.options, jobs), explain, neighbours, extract)
        self.check_roots(docs)
        with_documents = self.wants_documents(docs, documents, fresh)
        request = dataclasses.replace(
            self._request(settings, None, fresh, explain, extract),
            **taken.of_request(),
            documents=with_documents,
            max_cost=max_cost,
            max_tokens=max_tokens,
            batch=batch,
            engine=engine,
            address=address,
        )
        self._held = None  # or the run could not remove the generation that it replaces
        report = run_index(request, progress or silent)
        if with_documents:
            report = self.with_documents(report, settings, docs, fresh, progress or silent)
        wanted = self.settings.elaborate.enabled == "always" if elaborate is None else elaborate
        if wanted:
            report = msgspec.structs.replace(report, notes=(*report.notes, self.elaborated_note()))
        return report

    def estimate(
        self,
        *,
        filelist: Path | None = None,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        data_type: str | None = None,
        jobs: int | None = None,
        reset_options: bool = False,
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
        import msgspec

        from hdlgraph.index.estimate.estimate import estimate
        from hdlgraph.index.progress import silent
        from hdlgraph.index.request import check_root

        check_root(self.root)
        given = Options(filelist, tuple(include), tuple(exclude), data_type)
        taken = self._taken(given, reset_options)
        settings = with_models(self._with(taken.options, jobs), explain, neighbours, extract)
        request = self._request(settings, None, fresh, explain, extract)
        request = dataclasses.replace(request, **taken.of_request(), batch=batch)
        found = estimate(request, progress or silent)
        return msgspec.structs.replace(found, notes=(*taken.option_notes, *found.notes))

    def check(
        self,
        *,
        filelist: Path | None = None,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        data_type: str | None = None,
        embeddings: bool | None = None,
        reset_options: bool = False,
    ) -> dict[str, Any]:
        """Returns whether the index fits the repository, and what differs; nothing is written.

        The options are those of `index`, and remembered ones are taken as there.

        Raises:
            UsageError: there is no index, or no Verilog in the repository.
        """
        from hdlgraph.index.request import check_root
        from hdlgraph.index.status import check_of

        check_root(self.root)
        given = Options(filelist, tuple(include), tuple(exclude), data_type, embeddings)
        taken = self._taken(given, reset_options)
        request = self._request(self._with(taken.options, None), None, False, None, None)
        return check_of(dataclasses.replace(request, **taken.of_request()))

    def _taken(self, given: Options, reset: bool) -> _Taken:
        """Returns the options of a call, completed by those that the index remembers."""
        from hdlgraph.store.manifest import read_asked

        if given.filelist is not None:
            given = dataclasses.replace(given, filelist=Path(given.filelist).absolute())
        asked = read_asked(self.folder)
        former = Options() if reset else remembered(asked.options, self.root)
        options = given.over(former)
        kept, notes = keepable(options, self.root)
        used = former.unlike(given)
        if used:
            notes = (f"using remembered options: {words(used)} (--reset-options forgets)", *notes)
        if asked.filelist and options.filelist is None and not reset:
            notes = (*notes, lost_list(asked.filelist))
        trusted = given.filelist is not None
        if options.filelist is not None and not trusted:
            options = dataclasses.replace(options, filelist=self._list(options.filelist))
        return _Taken(options, kept, notes, trusted)

    def _list(self, filelist: Path) -> Path:
        """Returns the path of a remembered filelist.

        Raises:
            UsageError: it is gone.
        """
        path = self.root / filelist
        if not path.is_file():
            raise UsageError(
                f"filelist {path}: no such file, and the index remembers it; name another one "
                "with -f, or take all files with --reset-options"
            )
        return path

    def _with(self, options: Options, jobs: int | None) -> Settings:
        return adjusted(
            self.settings,
            options.include,
            options.exclude,
            options.data_type,
            jobs,
            options.embeddings is not False,
            options.graphrag,
        )

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
