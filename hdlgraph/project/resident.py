"""A project that a server keeps open: many threads ask it, and new indexes come without a stop."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import HdlgraphError
from hdlgraph.project import Project

if TYPE_CHECKING:
    from hdlgraph.model import Explanation
    from hdlgraph.project.opened import Opened
    from hdlgraph.results import Moved, SearchResult
    from hdlgraph.store.folder import Generation
    from hdlgraph.store.manifest import Manifest

LOOKED = 1.0
"""Seconds for which the look at the index folder, and at the files of the repository, holds."""
KEPT = 512
"""Results of searches that are kept, the least recently used go first."""
WARM_UP = "clock and reset"
"""A question of general words: its search loads the models and tables that others need."""


class Resident(Project):
    """A project for a server: it may be used by several threads at one time.

    What the index folder and the repository look like is known at most `LOOKED` seconds late. A
    new generation is loaded beside the present one, and then takes its place; where that fails,
    the present one goes on. Results of searches are kept as long as nothing moves.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._lock = threading.RLock()
        self._held: Generation | None = None
        self._looked = 0.0
        self._mark: tuple[int, ...] = ()
        self._loading = False
        self._standing: tuple[float, Any, Moved] | None = None
        self._told_files: tuple[Any, Mapping[str, Explanation]] | None = None
        self._results: OrderedDict[Any, SearchResult] = OrderedDict()

    def warm(self) -> None:
        """Loads everything that a first question would have to wait for."""
        self.search(WARM_UP)
        tops = self.level(limit=1)["entries"]
        for name in (one["name"] for one in tops):
            self.ask(f"what is {name}?", writer="extractive")  # names are looked up another way
            self.show(name)

    def _search(self, opened: Opened, question: str, *given: Any, **options: Any) -> SearchResult:
        """Returns what `Project._search` does; the result of an equal search is kept."""
        import msgspec

        helped = {name: options.get(name) for name in ("reword", "decompose", "rerank")}
        if given or self.settings.search.abbreviations or self._help(**helped):
            return super()._search(opened, question, *given, **options)
        started = time.perf_counter()
        moved = self._moved(opened.generation.manifest)
        chosen = sorted((n, _fixed(value)) for n, value in options.items() if _is_said(n, value))
        key = (opened.generation.id, moved, question, tuple(chosen))
        with self._lock:
            found = self._results.get(key)
            if found is not None:
                self._results.move_to_end(key)
        if found is not None:
            seconds = round(time.perf_counter() - started, 4)
            return msgspec.structs.replace(found, seconds=seconds)
        found = super()._search(opened, question, **options)
        with self._lock:
            self._results[key] = found
            while len(self._results) > KEPT:
                self._results.popitem(last=False)
        return found

    def explanations(self) -> Mapping[str, Explanation]:
        """Returns the explanation of every file, by path; read once for a generation."""
        held = self._generation()
        kept = self._told_files
        if kept is None or kept[0] != held.id:
            kept = (held.id, super().explanations())
            self._told_files = kept
        return kept[1]

    def _generation(self) -> Generation:
        with self._lock:
            if self._held is None:
                self._mark = self._folder_mark()
                self._held = super()._generation()
                self._looked = time.monotonic()
            elif not self._loading and time.monotonic() - self._looked > LOOKED:
                self._looked = time.monotonic()
                mark = self._folder_mark()
                if mark and mark != self._mark:
                    self._loading = True
                    work = threading.Thread(target=self._take_over, args=(mark,), daemon=True)
                    work.start()
            return self._held

    def _folder_mark(self) -> tuple[int, ...]:
        """Returns what changes with every new manifest; () where there is none to read."""
        try:
            told = (self.folder / "manifest.json").stat()
        except OSError:
            return ()
        return told.st_ino, told.st_mtime_ns, told.st_size

    def _take_over(self, mark: tuple[int, ...]) -> None:
        """Loads the generation that the folder has now, then puts it in the present one's place."""
        try:
            with suppress(HdlgraphError, OSError):
                fresh = Project(self.root, self.folder, self.settings, self.features)
                fresh._own_root = self._own_root
                fresh._given = self._given
                fresh.search(WARM_UP, k=1)
                opened, graph = fresh._opened, fresh.graph()
                assert opened is not None
                with self._lock:
                    self._notes = fresh._notes
                    self._held, self._opened = opened.generation, opened
                    self._graph = (opened.generation.manifest, opened.generation.id, graph)
                    self._results.clear()
                    self._mark = mark
        finally:
            self._loading = False

    def _open(self) -> Opened:
        with self._lock:
            return super()._open()

    def graph(self) -> Any:
        """Returns the graph of the present generation."""
        with self._lock:
            return super().graph()

    def _moved(self, manifest: Manifest) -> Moved:
        now = time.monotonic()
        kept = self._standing
        if kept is None or kept[1] is not manifest or now - kept[0] > LOOKED:
            kept = (now, manifest, super()._moved(manifest))
            self._standing = kept
        return kept[2]


def _is_said(name: str, value: Any) -> bool:
    """Tells whether an option differs from what is so without it."""
    return value is not None and value != () and not (name in ("fold", "lines") and value is True)


def _fixed(value: Any) -> Any:
    """Returns an option's value as something that may be a key."""
    return tuple(sorted(value)) if isinstance(value, (list, set, frozenset, tuple)) else value
