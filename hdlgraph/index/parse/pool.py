"""Parses many files in worker processes that may crash, hang or outgrow their memory.

A worker that dies takes only the file it was on with it: that file is tried again alone in a fresh
worker, then at the next weaker level of its reader, and every file ends as a record. A record that
is weak because the machine ended the worker, not the file, is not cached: the next run reads the
file again.
"""

from __future__ import annotations

import os
import selectors
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from hdlgraph.index.discover.source_file import SourceFile
from hdlgraph.index.parse.batches import batches_of, setup_of
from hdlgraph.index.parse.lost_workers import Loss, cpu_seconds, death_of
from hdlgraph.index.parse.worker import DONE, IDLE, START, Setup, Task
from hdlgraph.index.parse.worker_process import WorkerProcess
from hdlgraph.model import FileRecord
from hdlgraph.parsers.macros.table import Borrowed
from hdlgraph.parsers.registry import reader_of

if TYPE_CHECKING:
    from hdlgraph.settings.records import Settings

_START_S = 60.0
"""Seconds beside the deadline in which a worker loads its readers."""
_PATIENCE = 8.0
"""On a machine too busy to run the worker a file may take so many times the deadline."""
_DAMAGED = (msgspec.DecodeError, UnicodeDecodeError, LookupError, TypeError)
"""What taking an answer apart raises that no worker meant."""
_RECYCLE_MB = 230.0
"""A worker that once used more memory (MiB) is replaced before the next batch."""


def parse_all(
    root: Path,
    sources: Sequence[SourceFile],
    *,
    all_paths: Sequence[str] | None = None,
    incdirs: Sequence[str] = (),
    defines: Sequence[str] = (),
    jobs: int = 0,
    deadline_s: float = 20.0,
    memory_mb: int = 1024,
    on_done: Callable[[FileRecord, bool], None] | None = None,
    settings: Settings | None = None,
    borrowed: Mapping[str, Sequence[Borrowed]] | None = None,
    meanwhile: Callable[[], None] | None = None,
    ready: list[WorkerProcess] | None = None,
    held: bool = True,
) -> list[FileRecord]:
    """Returns one record per source, in order of path.

    Args:
        root: the repository.
        sources: the files to parse.
        all_paths: every path an include may mean; those of `sources` when omitted (an
            incremental run passes the whole corpus).
        incdirs: include folders relative to the root.
        defines: `NAME` or `NAME=value`.
        jobs: worker processes; 0 means one per CPU.
        deadline_s: seconds for one file before its worker is killed.
        memory_mb: memory of one worker in MiB beyond which it fails.
        on_done: called with each record as it comes, in no fixed order, and whether it lasts:
            one that is weak because of the machine does not.
        settings: where the size limit and the use of PyVerilog are read from.
        borrowed: macros that files may take from files that they do not include, by path.
        meanwhile: called once, when the first workers have begun.
        ready: workers that were started before; those that are needed are taken out.
        held: whether the records are returned; where not, `on_done` alone gets them.
    """
    setup = setup_of(
        root,
        sources,
        all_paths=all_paths,
        incdirs=incdirs,
        defines=defines,
        memory_mb=memory_mb,
        settings=settings,
        borrowed=borrowed,
    )
    pool = Pool(setup, deadline_s, on_done, ready, held)
    try:
        return pool.run(sources, jobs or os.cpu_count() or 1, meanwhile)
    finally:
        pool.close()


class Pool:
    """Worker processes for the files of one repository; they stay until `close`.

    Args:
        setup: what each is told.
        deadline_s: seconds for one file.
        on_done: called with each record as it comes, and whether it lasts.
        ready: workers that were started before; those that are needed are taken out.
        held: whether `run` returns the records.
    """

    def __init__(
        self,
        setup: Setup,
        deadline_s: float,
        on_done: Callable[[FileRecord, bool], None] | None,
        ready: list[WorkerProcess] | None = None,
        held: bool = True,
    ) -> None:
        self._held = held
        self._ready = ready or []
        self._root = Path(setup.root)
        self._setup = msgspec.msgpack.encode(setup)
        self._deadline_s = deadline_s
        self._on_done = on_done
        self._selector = selectors.DefaultSelector()
        self._queue: deque[list[Task]] = deque()
        self._records: dict[str, FileRecord] = {}
        self._live: dict[int, WorkerProcess] = {}
        self._decoder = msgspec.msgpack.Decoder(FileRecord)
        self._alone: set[Task] = set()
        """Tasks that are tried once more, each by a fresh worker that has no other task."""
        self._hit: set[Task] = set()
        """Tasks whose worker was once ended from outside."""
        self._passing: set[str] = set()
        """Paths whose record is weak only because something outside ended their workers."""
        self._idle_deaths = 0
        """Workers lost in a row while they were on no file."""
        self._jobs = 1

    def run(
        self, sources: Sequence[SourceFile], jobs: int, meanwhile: Callable[[], None] | None = None
    ) -> list[FileRecord]:
        """Returns one record per source, in order of path; see `parse_all`."""
        self._queue.extend(batches_of(sources))
        self._records, self._jobs, self._idle_deaths = {}, jobs, 0
        if sources and meanwhile is not None:
            self._feed()
            meanwhile()
        while self._queue or any(worker.tasks for worker in self._live.values()):
            self._feed()
            self._listen()
            self._watch()
        return [self._records[path] for path in sorted(self._records)]

    def close(self) -> None:
        """Ends the worker processes."""
        for worker in list(self._live.values()):
            self._end(worker)
        self._selector.close()

    def _feed(self) -> None:
        """Gives the waiting batches to idle workers, and to new ones up to the number of jobs."""
        for worker in list(self._live.values()):
            if worker.spent and not worker.tasks:
                self._end(worker)
        idle = [worker for worker in self._live.values() if not worker.tasks]
        while self._queue and (idle or len(self._live) < self._jobs):
            batch = self._queue.popleft()
            if idle and batch[0] in self._alone:
                self._end(idle.pop())
            worker = idle.pop() if idle and batch[0] not in self._alone else self._start()
            worker.give(batch)

    def _start(self) -> WorkerProcess:
        """Returns a new worker that is told the setup."""
        worker = self._ready.pop() if self._ready else WorkerProcess.start(self._root)
        self._selector.register(worker.answers, selectors.EVENT_READ, worker)
        self._live[worker.process.pid] = worker
        worker.send(self._setup)
        return worker

    def _listen(self) -> None:
        """Takes what the workers answered, and notices those that ended."""
        for key, _ in self._selector.select(timeout=0.2):
            worker: WorkerProcess = key.data
            try:
                is_open = worker.receive()
            except BlockingIOError:
                continue
            if not is_open:
                self._lost(worker, death_of(worker.process))
                continue
            try:
                for message in worker.messages():
                    self._message(worker, message)
            except _DAMAGED as error:
                self._lost(worker, Loss(f"answered with no record: {error}"))

    def _message(self, worker: WorkerProcess, message: Any) -> None:
        """Does what one message of a worker asks for; see `hdlgraph.index.parse.worker`."""
        kind = message[0]
        worker.since = time.monotonic()
        worker.ready = True
        if kind == START:
            worker.cpu = message[2]
            worker.current = {task.path: task for task in worker.tasks}[message[1]]
            self._idle_deaths = 0
        elif kind == DONE and worker.current is not None:
            record = self._decoder.decode(message[2])
            worker.tasks.remove(worker.current)
            worker.current = None
            self._keep(record)
        elif kind == IDLE and message[1] > _RECYCLE_MB:
            worker.spent = True

    def _keep(self, record: FileRecord) -> None:
        """Takes a record as the last word on its file."""
        if self._held:
            self._records[record.path] = record
        if self._on_done is not None:
            self._on_done(record, record.path not in self._passing)

    def _watch(self) -> None:
        """Kills the workers that take too long for their file."""
        now = time.monotonic()
        for worker in list(self._live.values()):
            late = self._late(worker, now) if worker.tasks else None
            if late is not None:
                worker.process.kill()
                self._lost(worker, late)

    def _late(self, worker: WorkerProcess, now: float) -> Loss | None:
        """Returns how a worker spent more than the deadline on its file, None if it did not.

        Processor time counts where the system tells it: a busy machine is no fault of a file.
        """
        waited = now - worker.since
        why = f"exceeded {self._deadline_s:g} s"
        if not worker.ready:
            return Loss(why, outside=True) if waited > self._deadline_s + _START_S else None
        if waited <= self._deadline_s:
            return None
        spent = cpu_seconds(worker.process.pid)
        if spent is None or spent - worker.cpu > self._deadline_s:
            return Loss(why, final=True)
        return Loss(why, outside=True) if waited > _PATIENCE * self._deadline_s else None

    def _lost(self, worker: WorkerProcess, loss: Loss) -> None:
        """Queues the tasks of a dead worker again, the one it was on apart from the rest."""
        self._end(worker)
        tasks = list(worker.tasks)
        worker.tasks.clear()
        if not tasks:
            return
        culprit = worker.current
        if culprit is None:
            self._idle_deaths += 1
            # No file is to blame; but where no worker can start, the run must end all the same.
            if self._idle_deaths <= 2 * (self._jobs + 1):
                self._queue.appendleft(tasks)
                return
            culprit, loss = tasks[0], Loss(loss.why, outside=True, final=True)
        rest = [task for task in tasks if task is not culprit]
        if rest:
            self._queue.appendleft(rest)
        if loss.final or culprit in self._alone:
            self._weaken(culprit, loss)
            return
        if loss.outside:
            self._hit.add(culprit)
        self._alone.add(culprit)
        self._queue.append([culprit])

    def _weaken(self, task: Task, loss: Loss) -> None:
        """Reads a file at the next weaker level; after the last one its record has no facts."""
        if loss.outside or (task in self._hit and not loss.final):
            self._passing.add(task.path)
        levels = reader_of(task.path).levels
        weaker = [*levels][[*levels].index(task.level) + 1 :]
        reason = "; ".join(filter(None, (task.reason, f"{levels[task.level]} {loss.why}")))
        if weaker:
            self._queue.append([Task(task.path, task.sha256, task.role, weaker[0], reason)])
        else:
            self._keep(_bare_record(task, reason))

    def _end(self, worker: WorkerProcess) -> None:
        """Ends a worker that has not ended yet."""
        if self._live.pop(worker.process.pid, None) is not None:
            self._selector.unregister(worker.answers)
            worker.end()


def _bare_record(task: Task, reason: str) -> FileRecord:
    """Returns a record without facts, which says why there are none."""
    return FileRecord(
        path=task.path,
        sha256=task.sha256,
        role=task.role,
        language=reader_of(task.path).language_of(task.path),
        size=0,
        n_lines=0,
        encoding="",
        degraded=reason,
    )
