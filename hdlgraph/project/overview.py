"""The overview of a design: `Project.overview`, and answers to questions about the whole design."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import HdlgraphError
from hdlgraph.project.indexing import Indexing

if TYPE_CHECKING:
    from hdlgraph.index.progress import Progress
    from hdlgraph.query.answer.facts.page import FactPage
    from hdlgraph.query.overview.overview import Overview
    from hdlgraph.results import Answer


class Overviews(Indexing):
    """The part of a project that answers about the whole design."""

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
            UsageError: there is no such level, the settings never build the tables, or a model
                has to write the reports and none is configured.
            IndexLockedError: another run is writing this index.
            IndexUnsafeError: the tables have to be built, and the index is not the user's own.
            BuildError: the tables could not be built.
        """
        import msgspec

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
        manifest = self.manifest()
        files, description, moved = len(manifest.files), describe(state), self._moved(manifest)
        answer = overview_of(
            found, level, root=str(self.root), files=files, tables=description, usage=usage
        )
        return msgspec.structs.replace(answer, notes=self._note_on(moved), stale=moved)

    def _broad_answer(
        self,
        question: str,
        on_text: Callable[[str], None] | None,
        progress: Progress | None,
        options: Mapping[str, Any],
    ) -> tuple[Answer | None, str]:
        """Returns the answer to a question about the whole design, or None and why there is none.

        A question about a part, or one among chosen files, is none of these: the reason is "".
        """
        from hdlgraph.query.overview.broad import is_broad

        if not is_broad(question) or options.get("roles") or options.get("candidates"):
            return None, ""
        from hdlgraph.query.overview.answer import GROUPS, LINES, broad_answer, hierarchy_answer

        page, groups = self._hierarchy_page(), None
        if page is None or self.manifest().graphrag.get("state") == "fresh":
            try:
                overview = self.overview(progress=progress)
            except HdlgraphError as error:
                if page is None:
                    return None, f"not answered from an overview: {error}"
            else:
                most = LINES if page is None else GROUPS
                groups = broad_answer(question, overview, self.source_text, most)
        answer = groups
        if page is not None:
            manifest = self.manifest()
            stale, files = self._moved(manifest), len(manifest.files)
            answer = hierarchy_answer(question, page, files, stale, groups)
        if on_text and answer is not None:
            on_text(answer.text)
        return answer, ""

    def _hierarchy_page(self) -> FactPage | None:
        """Returns a page that tells the hierarchy of the design, None where it has hardly any."""
        from hdlgraph.model import Role
        from hdlgraph.query.answer.design_first import of_design
        from hdlgraph.query.answer.facts.page import FactPage
        from hdlgraph.query.overview.hierarchy import Told

        manifest = self.manifest()
        roles = {path: entry.role for path, entry in manifest.files.items()}
        moved = self._moved(manifest)
        page = FactPage(self.source_text, moved={*moved.changed, *moved.removed})

        def own(path: str) -> bool:
            role = roles.get(path, "")
            return role != Role.VENDORED and of_design(path, role)

        told = Told(page, self.graph(), own, self.explanations()).tell()
        return page if told else None
