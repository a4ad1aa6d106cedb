"""The stage `parse`: the facts of all files, from the cache or from worker processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import msgspec

from hdlgraph.errors import IndexDamagedError
from hdlgraph.index.discover.files import Discovery
from hdlgraph.index.discover.source_file import SourceFile
from hdlgraph.index.engine.engine import HERE, Engine
from hdlgraph.index.kept.memory import is_remembering
from hdlgraph.index.parse.held import LARGE
from hdlgraph.index.parse.late import read_late
from hdlgraph.index.progress import Meter
from hdlgraph.index.request import Request
from hdlgraph.index.shares import Shares
from hdlgraph.model import FileRecord
from hdlgraph.store.design.facts import map_facts, write_facts
from hdlgraph.store.design.printed import write_printed
from hdlgraph.store.folder import Run

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from hdlgraph.index.parse.cache import FactKeys, OnDone
    from hdlgraph.index.parse.worker_process import WorkerProcess
    from hdlgraph.store.cache import Cache
    from hdlgraph.store.packed.slices import Slices
    from hdlgraph.store.packed.values import Views


class Facts(NamedTuple):
    """The facts of all files, their keys, and those of what is kept of each by path.

    `again`: whether they are read again from the folder of the generation, where they are stored.
    """

    records: list[FileRecord]
    keys: FactKeys
    kept: dict[str, str]
    again: bool = False


def usable_cores() -> int:
    """Returns how many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS
        return os.cpu_count() or 1


def early_worker(
    request: Request, engine: Engine, told: bool
) -> AbstractContextManager[list[WorkerProcess]]:
    """Gives what reads an edited file while the run still looks for it; see `WorkerProcess.early`.

    Args:
        request: what is asked of the run.
        engine: where files are read.
        told: whether there is an index, and so little to read.
    """
    from hdlgraph.index.parse.worker_process import WorkerProcess

    return WorkerProcess.early(request.root, told and not engine.spreads)


def parse(
    request: Request,
    run: Run,
    meter: Meter,
    found: Discovery,
    engine: Engine = HERE,
    ready: list[WorkerProcess] | None = None,
) -> tuple[list[FileRecord], FactKeys]:
    """Returns the facts of all files, sorted by path, and their cache keys.

    `ready` are workers that were started before; those that are needed are taken out.
    """
    from hdlgraph.index.parse.cache import collect_facts
    from hdlgraph.index.parse.noted_keys import fact_keys

    with meter.stage("parse", len(found.files)) as tick:
        keys = fact_keys(
            request.root,
            found.files,
            run.cache,
            request.reading(found.defines),
            found.incdirs,
            found.defines,
            shares_of(request, meter),
        )
        parser = _parser(request, found, keys, engine, ready)
        records = collect_facts(keys, run.cache, parser, tick)
    return records, keys


def _parser(
    request: Request,
    found: Discovery,
    keys: FactKeys,
    engine: Engine,
    ready: list[WorkerProcess] | None,
) -> Callable[..., None]:
    """Returns what reads sources: on machines of the engine first, the rest here."""
    from hdlgraph.index.parse.batches import setup_of
    from hdlgraph.index.parse.pool import parse_all

    parse = request.settings.parse
    same: dict[str, Any] = {
        "all_paths": [source.path for source in found.files],
        "incdirs": found.incdirs,
        "defines": found.defines,
        "memory_mb": parse.memory_mb,
        "settings": request.settings,
    }

    def parser(
        sources: Sequence[SourceFile], on_done: OnDone, meanwhile: Callable[[], object]
    ) -> None:
        same["borrowed"] = {one.path: taken for one in sources if (taken := keys.lend(one.path))}
        if engine.spreads:
            from hdlgraph.index.parse.away import ParseWork, parse_away

            work = ParseWork(setup_of(request.root, sources, **same), parse.deadline_s)
            _, sources = parse_away(engine, request.root, sources, keys, work, on_done)
        jobs, limit = parse.jobs or usable_cores(), parse.deadline_s
        parse_all(
            request.root,
            sources,
            jobs=jobs,
            deadline_s=limit,
            on_done=on_done,
            meanwhile=lambda: _load(meanwhile),
            ready=ready,
            held=False,
            **same,
        )

    return parser


def without_flows(records: Sequence[FileRecord]) -> list[FileRecord]:
    """Returns records without what no stage reads of them after `store`."""
    return [msgspec.structs.replace(one, flows=(), said=()) for one in records]


class Whole(Sequence[FileRecord]):
    """The facts of files with their flows, of which those that were kept are read when asked for.

    A run that edits few files asks for few: the others would be as many objects as all other facts.

    Args:
        records: the facts of all files with their flows, in their order.
        keys: their keys.
        cache: keeps them.
    """

    def __init__(self, records: Sequence[FileRecord], keys: FactKeys, cache: Cache) -> None:
        self._keys, self._cache = keys, cache
        self._paths = [one.path for one in records]
        self._new = {one.path: one for one in records if type(one) is FileRecord}

    @overload
    def __getitem__(self, at: int) -> FileRecord: ...

    @overload
    def __getitem__(self, at: slice) -> list[FileRecord]: ...

    def __getitem__(self, at: int | slice) -> FileRecord | list[FileRecord]:
        if isinstance(at, slice):
            return [self._of(path) for path in self._paths[at]]
        return self._of(self._paths[at])

    def __len__(self) -> int:
        return len(self._paths)

    def _of(self, path: str) -> FileRecord:
        found = self._new.get(path)
        if found is not None:
            return found
        blob = self._kept.get(self._keys.key(path))
        if blob is None:
            raise IndexDamagedError(
                f"the kept facts of {path} were lost during the run: run `hdlgraph index` again"
            )
        return read_late(blob)

    @cached_property
    def _kept(self) -> Views:
        keys = [self._keys.key(path) for path in self._paths]
        return self._cache.views("facts", keys, copied=True)


def store(slices: Slices, records: Sequence[FileRecord], plain: Sequence[FileRecord]) -> None:
    """Writes records, whose flows and messages go into files of their own; `plain` has none."""
    from hdlgraph.index.flow.write import printed, write_signals
    from hdlgraph.index.parse.late import Opened

    write_signals(slices, records, plain)
    write_facts(slices, Opened(plain))
    write_printed(slices, lambda number: printed(plain[number]))


def weak(
    found: Discovery, records: Sequence[FileRecord], passing: Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns "path: reason" of the files read only in part, and of those not read at all.

    Args:
        found: the files.
        records: the facts of all of them.
        passing: why those are weak that the next run reads again, by path.
    """
    unreadable = {source.path for source in found.files if not source.sha256}
    why = {r.path: r.degraded for r in records if r.degraded or r.path in unreadable}
    failed = {path: why[path] or "cannot be read" for path in unreadable}
    failed |= {path: f"{text}; the next run reads it again" for path, text in passing.items()}
    return (
        tuple(f"{path}: {why[path]}" for path in why if path not in failed),
        tuple(f"{path}: {failed[path]}" for path in sorted(failed)),
    )


def are_many(folder: Path) -> bool:
    """Returns whether the facts that were stored are too many to be held decoded."""
    # The next run of this process wants those of this one as they are.
    return len(map_facts(folder)) > LARGE and not is_remembering()


def _load(more: Callable[[], object]) -> None:
    """Imports what the stages after parsing run in this process, while workers start; does more.

    Of a run after one edit the start of a worker is a good part, in which this process would wait.
    """
    from hdlgraph.index.embed import structures, surfaces  # noqa: F401
    from hdlgraph.index.explain import collect, repeated  # noqa: F401
    from hdlgraph.index.lexical import write as words  # noqa: F401
    from hdlgraph.index.verification import write  # noqa: F401

    more()


def shares_of(request: Request, meter: Meter) -> Shares:
    """Returns the processes that share the work of a stage, as many as the settings allow."""
    return Shares(request.settings.parse.jobs or usable_cores(), meter)
