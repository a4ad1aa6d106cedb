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
from hdlgraph.project.resident.helpers import HERE, Asked, Helpers
from hdlgraph.project.workspace.models import Remembering

if TYPE_CHECKING:
    from hdlgraph.graph.graph import Graph
    from hdlgraph.model import Explanation
    from hdlgraph.project.opened import Opened
    from hdlgraph.project.workspace.models import Vectors
    from hdlgraph.results import Moved, SearchResult
    from hdlgraph.store.folder import Generation
    from hdlgraph.store.manifest import Manifest

LOOKED = 1.0
"""Seconds for which the look at the index folder, and at the files of the repository, holds."""
SEARCHERS = 3
"""The most processes that search beside this one."""
KEPT = 512
"""Results of searches that are kept, the least recently used go first."""
WARM_UP = "clock and reset"
"""A question of general words: its search loads the models and tables that others need."""
ALONE: dict[str, Any] = {"reword": False, "decompose": False, "rerank": False}
"""Options of a search that asks no language model, whatever the settings say."""


class Resident(Project):
    """A project for a server: it may be used by several threads at one time.

    Which generation is the present one is told as by any project; here it is looked at once in
    `LOOKED` seconds, and a new one is loaded beside the present one before it takes its place.
    Where that fails, the present one goes on. Results of searches are kept while nothing moves.
    """

    def __init__(self, *arguments: Any, searchers: int | None = None, **named: Any) -> None:
        """Opens a repository and its index.

        Args:
            arguments: as of `Project`.
            searchers: processes that search beside this one where several ask at one time; by
                default one for each further core, at most SEARCHERS.
            named: as of `Project`.
        """
        super().__init__(*arguments, **named)
        self._searchers = searchers
        self._helpers: Helpers | None = None
        self._lock = threading.RLock()
        self._taking = threading.Lock()
        self._looked = 0.0
        self._standing: tuple[float, Any, Moved] | None = None
        self._results: OrderedDict[Any, SearchResult] = OrderedDict()

    def warm(self) -> None:
        """Loads everything that a first question would have to wait for."""
        self._told_files = _warmed(self)

    def _search(self, opened: Opened, question: str, *given: Any, **options: Any) -> SearchResult:
        """Returns what `Project._search` does; the result of an equal search is kept."""
        import msgspec

        from hdlgraph.query.assist.switches import switches

        helped = {name: options.get(name) for name in ("reword", "decompose", "rerank")}
        if given or self.settings.search.abbreviations or switches(self.settings, helped):
            return super()._search(opened, question, *given, **options)
        started = time.perf_counter()
        moved = self._moved(opened.generation.manifest)
        chosen = sorted((n, _fixed(value)) for n, value in options.items() if _is_set(n, value))
        notes = self._note_on(moved)
        key = (opened.generation.id, moved, notes, question, tuple(chosen))
        with self._lock:
            found = self._results.get(key)
            if found is not None:
                self._results.move_to_end(key)
        if found is not None:
            seconds = round(time.perf_counter() - started, 4)
            return msgspec.structs.replace(found, seconds=seconds)
        found = self._found(opened, moved, question, options)
        with self._lock:
            self._results[key] = found
            while len(self._results) > KEPT:
                self._results.popitem(last=False)
        return found

    def _found(
        self, opened: Opened, moved: Moved, question: str, options: Mapping[str, Any]
    ) -> SearchResult:
        """Returns the result of a search, made here or by a helper."""
        helpers = self._beside()
        if helpers is None:
            return super()._search(opened, question, **options)
        with helpers.place() as helper:
            if helper is not None:
                number, settings = _number(opened.generation), self.settings.digest()
                vectors = self._vectors(question)
                found = helper.search(Asked(number, settings, question, dict(options), vectors))
                if found is not None and found.stale == moved:
                    return found
            return super()._search(opened, question, **options)

    def _vectors(self, question: str = WARM_UP) -> Vectors | None:
        """Returns the vectors of a question, which helpers are sent; None where they make them."""
        opened, models = self._open(), self._models
        with opened.searching() as searcher:
            dense = searcher.index.surfaces is not None
        return models.vectors(question) if dense and isinstance(models, Remembering) else None

    @property
    def at_once(self) -> int:
        """Returns how many searches are worth doing at one time."""
        helpers = self._beside()
        return HERE + (helpers.most if helpers is not None else 0)

    def _beside(self) -> Helpers | None:
        """Returns the helpers; None where this project is none that another process can open."""
        from hdlgraph.index.embed.onnx import usable_cores
        from hdlgraph.settings.records import Settings

        if self.features or isinstance(self._given, Settings):
            return None
        with self._lock:
            if self._helpers is None:
                most = min(SEARCHERS, usable_cores() - 1)
                most = most if self._searchers is None else self._searchers
                own, settings = str(int(self._own_root)), str(self._given or "")
                index = self.shared.address if self.shared else self.folder
                places = (str(self.root), str(index), settings, own)
                self._helpers = Helpers(places, most, self._vectors)
            return self._helpers

    def searched(self, asked: Asked) -> SearchResult | None:
        """Returns the result of a search in a certain generation; None where this has another."""
        opened = self._open()
        if _number(opened.generation) != asked.generation:
            self.refresh()
            opened = self._open()
        fits = _number(opened.generation) == asked.generation
        if not fits or self.settings.digest() != asked.settings:
            return None
        return super()._search(opened, asked.question, **asked.options)

    def refresh(self) -> None:
        """Takes over now what the index folder and the repository have, and waits for it.

        Without it that is seen within `LOOKED` seconds and the time that loading takes. A new
        generation that cannot be used is not taken.
        """
        self._standing = None
        if self._is_behind():
            self._take_over()

    def _generation(self) -> Generation:
        with self._lock:
            if self._held is None:
                self._looked = time.monotonic()
                return super()._generation()
            if time.monotonic() - self._looked > LOOKED and not self._taking.locked():
                self._looked = time.monotonic()
                if self._is_behind():
                    threading.Thread(target=self._take_over, daemon=True).start()
            return self._held[1]

    def _is_behind(self) -> bool:
        """Returns whether the folder has another manifest than the present generation's."""
        held = self._held
        return held is not None and self._state() not in ((), held[0])

    def _take_over(self) -> None:
        """Loads the generation that the folder has now, then puts it in the present one's place."""
        with self._taking, suppress(HdlgraphError, OSError):
            if not self._is_behind():
                return  # another thread was first
            fresh = Project(self.root, self.folder, self.settings, self.features)
            fresh.shared = self.shared
            fresh._own_root, fresh._given = self._own_root, self._given
            fresh._models, fresh._notes = self._models, self._notes
            warmed = _warmed(fresh)
            with self._lock:
                self._held, self._opened, self._graph = fresh._held, fresh._opened, fresh._graph
                self._counted, self._told_files = fresh._counted, warmed
                self._flows, self._held_sources = fresh._flows, fresh._held_sources
                self._documents = fresh._documents
                self._models, self._notes = fresh._models, fresh._notes
                self._results.clear()

    def _open(self) -> Opened:
        with self._lock:
            if self._models is None:
                self._models = Remembering(self.settings, self._notes)
            return super()._open()

    def _held_graph(self) -> tuple[Generation, Graph]:
        with self._lock:
            return super()._held_graph()

    def _moved(self, manifest: Manifest) -> Moved:
        now = time.monotonic()
        kept = self._standing
        if kept is None or kept[1] is not manifest or now - kept[0] > LOOKED:
            kept = (now, manifest, self._look(manifest))
            self._standing = kept
        return kept[2]


def _number(generation: Generation) -> list[int]:
    """Returns what distinguishes a generation from every other one of an index folder."""
    return [generation.manifest.generation, *map(int, generation.id)]


def _warmed(project: Project) -> tuple[Any, Mapping[str, Explanation]]:
    """Has a project load what first questions would wait for; returns what files are for.

    That is the number of the generation, and the explanation of each of its files.
    """
    project.search(WARM_UP, **ALONE)
    for one in project.level(limit=1)["entries"]:
        project.level(one["id"], limit=1)
        project.show(one["name"])
        # Names are looked up another way.
        project.ask(f"what is {one['name']}?", writer="extractive", **ALONE)
        # The names of all nets are read by the first question for one.
        project.search(f"what drives the enable of {one['name']}?", **ALONE)
    return project._generation().id, project.explanations()


def _is_set(name: str, value: Any) -> bool:
    """Returns whether an option differs from what is so without it."""
    return value is not None and value != () and not (name in ("fold", "lines") and value is True)


def _fixed(value: Any) -> Any:
    """Returns an option's value as something that may be a key."""
    return tuple(sorted(value)) if isinstance(value, (list, set, frozenset, tuple)) else value
