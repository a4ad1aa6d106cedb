"""Making an index: `Project.index` and `Project.estimate`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hdlgraph.project.repository import Repository
from hdlgraph.settings.options import adjusted, with_models
from hdlgraph.settings.records import Settings

if TYPE_CHECKING:
    from hdlgraph.index.progress import Progress
    from hdlgraph.index.request import Request
    from hdlgraph.results import Estimate, IndexReport


class Indexing(Repository):
    """The part of a project that makes its index."""

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
