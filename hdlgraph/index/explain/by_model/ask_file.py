"""Starts the passes of explanations, with the neighbours and the texts of the files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from hdlgraph.index.discover.texts import TextReader
from hdlgraph.index.explain.by_model.kept import ModelExplanation
from hdlgraph.index.explain.neighbourhood import neighbourhoods
from hdlgraph.index.request import Request
from hdlgraph.llm.call import Model
from hdlgraph.model import Explanation, FileRecord

if TYPE_CHECKING:
    from hdlgraph.index.explain.by_model.many_files import Outcome

OnDone = Callable[[ModelExplanation], None]
Work = Callable[[Model, Sequence[FileRecord], OnDone], "Awaitable[Outcome]"]
"""Asks a model about files and hands over each result as it arrives."""


class TwoPasses:
    """Runs the two passes of explanations over files of one run."""

    def __init__(self, request: Request, records: Sequence[FileRecord]) -> None:
        self.request, self.records = request, records
        self.around = neighbourhoods(records)
        self.read_text = TextReader(request.root)

    async def explain(
        self,
        model: Model,
        chosen: Sequence[FileRecord],
        on_done: Callable[[ModelExplanation], None],
    ) -> Outcome:
        """Runs the first pass over the chosen files; see `Work`."""
        from hdlgraph.index.explain.by_model.first_pass import explain_files

        return await explain_files(
            model,
            chosen,
            self.around,
            self.read_text,
            self.request.settings,
            prompts=self.request.prompts,
            on_done=_kept(on_done),
            workers=self._workers(chosen),
        )

    def rewriter(
        self, written: Mapping[str, Explanation], explanations: Mapping[str, Explanation]
    ) -> Work:
        """Returns the function that runs the second pass.

        Args:
            written: the first explanations, by path.
            explanations: those of all files, by path.
        """

        async def rewrite(model: Model, chosen: Sequence[FileRecord], on_done: OnDone) -> Outcome:
            from hdlgraph.index.explain.by_model.second_pass import explain_with_neighbours

            return await explain_with_neighbours(
                model,
                chosen,
                self.around,
                {**explanations, **written},
                self.read_text,
                self.request.settings,
                prompts=self.request.prompts,
                on_done=_kept(on_done),
                workers=self._workers(chosen),
                everything=self.records,
            )

        return rewrite

    def _workers(self, chosen: Sequence[FileRecord]) -> int:
        """Returns how many files are under way at once: all of them where calls are collected."""
        return len(chosen) if self.request.batch else 0


def _kept(on_done: OnDone) -> Callable[[Explanation], None]:
    def take(item: Explanation) -> None:
        assert isinstance(item, ModelExplanation)
        on_done(item)

    return take
