"""What is read of documents in one run: from the cache where they are the same, else by workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from hdlgraph.index.documents.find import Found
from hdlgraph.index.documents.request import DocumentsRequest, readers_digest
from hdlgraph.index.documents.worker import Read, Task
from hdlgraph.index.progress import Meter, Tick
from hdlgraph.parsers.documents.formats import format_of
from hdlgraph.store.cache import Cache
from hdlgraph.store.documents.folder import DocumentsManifest
from hdlgraph.store.documents.records import FileState

READ = "documents"
"""Namespace of the cache."""
RACY_NS = 2_000_000_000
"""A file touched this shortly before it was read may have changed without a new time."""
BY_MACHINE = "not read: its process"
"""How the reason begins where a process was ended, which another run may not be."""


class Reading:
    """What is read: `reads` and `seen`, the documents as they were, by path, both sorted.

    Args:
        request: the call.
        former: the manifest of the run before, None without one.
        now_ns: the time, in ns since the epoch, before any document was looked at.
        cache: of documents.
    """

    def __init__(
        self, request: DocumentsRequest, former: DocumentsManifest | None, now_ns: int, cache: Cache
    ) -> None:
        self._request, self._now_ns, self._cache = request, now_ns, cache
        self._former: Mapping[str, FileState] = former.seen if former else {}
        self.reads: dict[str, Read] = {}
        self.seen: dict[str, FileState] = {}
        self.problems: list[str] = []

    def read(self, found: Sequence[Found], meter: Meter) -> int:
        """Reads documents; returns how many were read now."""
        self._take_known(found)
        missing = [one for one in found if one.path not in self.reads]
        with meter.stage("read documents", len(missing)) as tick:
            if missing:
                self._read_now(missing, tick)
        self.reads = dict(sorted(self.reads.items()))
        self.seen = dict(sorted(self.seen.items()))
        return len(missing)

    def _take_known(self, found: Sequence[Found]) -> None:
        """Takes from the cache what is as it was, and what lies in roots not named this time."""
        states = {path: one for path, one in self._former.items() if self._is_kept(path)}
        for one in found:
            state = self._former.get(one.path)
            if state and (state.size, state.mtime_ns) == (one.size, one.mtime_ns):
                states[one.path] = state
        keys = {path: _key(path, one.sha256) for path, one in states.items() if one.sha256}
        known = self._cache.get_many(READ, sorted(set(keys.values())))
        for path, key in keys.items():
            if key in known:
                self.reads[path] = msgspec.msgpack.decode(known[key], type=Read)
                self.seen[path] = states[path]
        lost = sorted(path for path in states if self._is_kept(path) and path not in self.reads)
        if lost:
            self.problems.append(
                f"{len(lost)} documents of an earlier --docs, such as {lost[0]}, are no longer in "
                "the index; name their folder with --docs again"
            )

    def _is_kept(self, path: str) -> bool:
        return any(path.startswith(f"@{name}/") for name in self._request.kept)

    def _read_now(self, missing: Sequence[Found], tick: Tick) -> None:
        """Reads documents in worker processes and keeps what they return, in the cache too."""
        from hdlgraph.index.documents.pool import read_all
        from hdlgraph.index.embed.onnx import usable_cores

        states = {one.path: one for one in missing}
        done = 0

        def keep(task: Task, read: Read) -> None:
            nonlocal done
            one = states[task.path]
            self.reads[task.path] = read
            # A file just touched is looked at again the next time.
            touched = one.mtime_ns >= self._now_ns - RACY_NS
            self.seen[task.path] = FileState(read.sha256, -1 if touched else one.size, one.mtime_ns)
            if read.sha256 and BY_MACHINE not in read.why:
                key = _key(task.path, read.sha256)
                self._cache.put_many(READ, {key: msgspec.msgpack.encode(read)})
            done += 1
            tick(done, len(missing))

        settings = self._request.settings
        limits, jobs = settings.documents, settings.parse.jobs or usable_cores()
        tasks = [Task(one.path, str(one.root), one.inside) for one in missing]
        read_all(tasks, jobs, limits.deadline_s, limits.memory_mb, keep)


def format_name(path: str) -> str:
    """Returns the name of a document's format."""
    kind = format_of(path)
    return kind.name if kind else ""


def _key(path: str, sha256: str) -> str:
    return f"{readers_digest()}:{format_name(path)}:{sha256}"
