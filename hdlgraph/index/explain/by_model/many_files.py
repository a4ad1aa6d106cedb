"""Asks a model about many files at once, collects failures and stops when going on is useless."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from hdlgraph.errors import BudgetError, CallError, ErrorKind
from hdlgraph.index.explain.by_model.kept import ModelExplanation
from hdlgraph.llm.call import Call, Completion, Model
from hdlgraph.model import Explanation, FileRecord, Role

_LAST = (Role.TESTBENCH, Role.FORMAL)


class Fallback(msgspec.Struct, frozen=True):
    """A file that the model did not explain. `kind`: of the CallError, or budget."""

    path: str
    reason: str
    kind: str = ""


class Outcome(msgspec.Struct, frozen=True):
    """The explanations of one pass by path, with failed and skipped files.

    `explanations` hold how many identifiers each names and which are invented (those are no
    longer in the text). `fallbacks` has the files that keep what they had, sorted; `skipped`
    those with nothing to explain. `stopped` is "" or says why the rest was not asked.
    """

    explanations: dict[str, Explanation]
    fallbacks: tuple[Fallback, ...] = ()
    skipped: tuple[str, ...] = ()
    stopped: str = ""

    @property
    def flagged(self) -> dict[str, tuple[str, ...]]:
        """Returns the names in the explanations that their files do not have, by path."""
        return {path: item.invented for path, item in self._kept.items() if item.invented}

    @property
    def n_names(self) -> int:
        """Returns how many identifiers the explanations name."""
        return sum(item.names for item in self._kept.values())

    @property
    def repaired(self) -> int:
        """Returns how many explanations needed a second answer."""
        return sum(item.repaired for item in self._kept.values())

    @property
    def _kept(self) -> dict[str, ModelExplanation]:
        return {path: x for path, x in self.explanations.items() if isinstance(x, ModelExplanation)}


class Watched:
    """A model that remembers whether it was asked to repair an answer."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.repaired = False

    async def complete(self, call: Call) -> Completion:
        """Returns the answer of a call (see `Model`)."""
        self.repaired = self.repaired or bool(call.history)
        return await self.model.complete(call)


def asking_order(record: FileRecord) -> tuple[bool, str]:
    """Returns the sort key that puts design files before testbenches."""
    return record.role in _LAST, record.path


async def ask_each(
    records: Sequence[FileRecord],
    ask: Callable[[FileRecord], Awaitable[ModelExplanation | None]],
    workers: int,
    on_done: Callable[[Explanation], None] | None = None,
) -> Outcome:
    """Returns what `ask` gave for each file, design files first.

    A file whose calls fail falls back. A failure that all further calls would share, and the end
    of the budget, stop the run: files under way may still finish, no other is begun.

    Args:
        records: the files.
        ask: returns an explanation, or None where there is nothing to explain.
        workers: files under way at once.
        on_done: called with each explanation as it comes.
    """
    queue = iter(sorted(records, key=asking_order))
    found: dict[str, Explanation] = {}
    failed: dict[str, Fallback] = {}
    skipped: list[str] = []
    stopped: list[str] = []

    async def work() -> None:
        for record in queue:
            path = record.path
            if stopped:
                failed[path] = Fallback(path, f"not asked: {stopped[0]}", ErrorKind.STOPPED)
                continue
            try:
                item = await ask(record)
            except (CallError, BudgetError) as error:
                kind = error.kind if isinstance(error, CallError) else "budget"
                if isinstance(error, BudgetError) or error.kind.stops_run:
                    stopped.append(str(error))
                    failed[path] = Fallback(path, f"not asked: {stopped[0]}", kind)
                else:
                    failed[path] = Fallback(path, str(error), kind)
                continue
            if item is None:
                skipped.append(path)
                continue
            found[path] = item
            if on_done is not None:
                on_done(item)

    await _all(work, min(max(workers, 1), max(len(records), 1)))
    return Outcome(
        explanations=dict(sorted(found.items())),
        fallbacks=tuple(failed[path] for path in sorted(failed)),
        skipped=tuple(sorted(skipped)),
        stopped=stopped[0] if stopped else "",
    )


async def _all(work: Callable[[], Awaitable[None]], n: int) -> None:
    """Runs `work` n times at once; the first error ends the others."""
    tasks = [asyncio.ensure_future(work()) for _ in range(n)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
