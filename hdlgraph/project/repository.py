"""One repository and its index folder: what every other part of a project starts from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import IndexUnsafeError
from hdlgraph.project.models import Models
from hdlgraph.settings.locate import FOLDER, find_index, load_settings, root_of
from hdlgraph.settings.records import Settings

if TYPE_CHECKING:
    from typing import Self

    from hdlgraph.graph.graph import Graph
    from hdlgraph.index.discover.texts import KeptTexts
    from hdlgraph.index.moved import LastLook
    from hdlgraph.knowledge.dictionary import Dictionary
    from hdlgraph.llm.session import Session
    from hdlgraph.llm.spend import Spending
    from hdlgraph.model import Explanation
    from hdlgraph.project.opened import Opened
    from hdlgraph.project.shared.index import SharedIndex
    from hdlgraph.query.features.feature import Feature
    from hdlgraph.query.search import Searcher
    from hdlgraph.results import Moved
    from hdlgraph.store.folder import Generation
    from hdlgraph.store.manifest import Manifest

KEEPER: ContextVar[Callable[[Path | None, Path | None], Any] | None] = ContextVar(
    "keeper", default=None
)
"""What `Repository.open` returns instead of a new project, in a thread that runs a command for
another process: called with its arguments, it gives the project that this process keeps open."""

PROJECT_BYTES = 4_000_000
"""Larger project files are not read."""


class Repository:
    """A repository and its index folder.

    Args:
        root: the repository's folder.
        index_dir: the index folder, or the address of a shared index (s3://BUCKET/PATH);
            ROOT/.hdlgraph by default.
        settings: settings, or the path of a settings.yaml; by default ROOT/settings.yaml if it
            has an `hdlgraph:` section, else the defaults.
        features: ranking features beside those of hdlgraph, see `hdlgraph.query.features.feature`.
    """

    def __init__(
        self,
        root: Path | str = ".",
        index_dir: Path | str | None = None,
        settings: Settings | Path | None = None,
        features: Sequence[Feature] = (),
    ) -> None:
        self.root = Path(root).resolve()
        self.shared = _shared(index_dir)
        own = Path(index_dir).resolve() if index_dir else self.root / FOLDER
        self.folder = self.shared.place.index if self.shared else own
        self._given = settings
        self.features = tuple(features)
        self._opened: Opened | None = None
        self._graph: tuple[Generation, Graph] | None = None
        self._own_root = self.shared is None
        self._notes: list[str] = []
        self._held: tuple[tuple[int, ...], Generation] | None = None
        self._models: Models | None = None
        self._told_files: tuple[Any, Mapping[str, Explanation]] | None = None

    @classmethod
    def open(
        cls,
        index_dir: Path | str | None = None,
        settings: Path | None = None,
        start: Path | None = None,
    ) -> Self:
        """Returns the project of an existing index, found as `locate.find_index` says.

        Args:
            index_dir: the index folder, a repository that has one, or the address of a shared
                index, which is fetched where that was not done before.
            settings: the settings file that the user named.
            start: the folder in which, or above which, a shared index finds the checkout that it
                tells of; the working folder by default.

        Raises:
            IndexMissingError: there is none.
            IndexVersionError: another version of hdlgraph wrote it.
            BucketError: nothing of a shared index was fetched before, and now it cannot be.
        """
        from hdlgraph.store.manifest import read_manifest

        given = Path(index_dir) if index_dir else None
        keeper = KEEPER.get()
        if keeper is not None:
            return keeper(given, settings)
        shared = _shared(index_dir)
        if shared is not None:
            project = cls(shared.root(start), index_dir, settings)
            project.shared = shared
            return project
        folder = find_index(given)
        project = cls(root_of(folder, read_manifest(folder).root), folder, settings)
        project._own_root = folder.name == FOLDER
        return project

    @staticmethod
    def find(index_dir: Path | None = None, start: Path | None = None) -> Path:
        """Returns the index folder that `open` would take, see `locate.find_index`."""
        if shared := _shared(index_dir):
            shared.follow()
            return shared.place.index
        return find_index(index_dir, start)

    @cached_property
    def settings(self) -> Settings:
        """Returns the settings in force."""
        if isinstance(self._given, Settings):
            return self._given
        return load_settings(self.root, self._given)

    @property
    def settings_file(self) -> Path | None:
        """Returns the settings file that the user named; None for one found in the root."""
        return self._given if isinstance(self._given, Path) else None

    def init(self, everything: bool = False) -> dict[str, list[str]]:
        """Writes a settings.yaml into the root; returns paths written and kept, and notes.

        Args:
            everything: whether all keys, GraphRAG's sections and prompts/ are written as well.
        """
        from hdlgraph.settings.scaffold import write_scaffold

        return write_scaffold(self.root, everything)

    @cached_property
    def session(self) -> Session:
        """Returns the model client of this project's questions.

        Raises:
            UsageError: no model is configured, or a prompt of the user's own cannot be filled.
        """
        return self.limited_session(None)

    def limited_session(self, spending: Spending | None) -> Session:
        """Returns a new model client that spends within a limit; errors as of `session`."""
        from hdlgraph.llm.session import Session
        from hdlgraph.prompts import check_prompts
        from hdlgraph.store.guard import check_writable

        if self.prompts:
            check_prompts(self.prompts)
        try:
            check_writable(self.folder)
        except IndexUnsafeError:
            # Nothing is kept in a folder of somebody else.
            return Session(self.settings, None, spending)
        return Session(self.settings, self.folder, spending)

    @property
    def prompts(self) -> Path | None:
        """Returns the folder of the user's own prompts: beside a settings file named by the user.

        A `prompts` folder that only lies in the repository is not the user's.
        """
        return self.settings_file.parent / "prompts" if self.settings_file else None

    def dictionary(self) -> Dictionary:
        """Returns what short forms stand for: a team's own, the repository's, general ones.

        Raises:
            SettingsError: the file of `search.abbreviations` cannot be used.
        """
        from hdlgraph.knowledge.dictionary import MINED, load_dictionary
        from hdlgraph.knowledge.projects import CHOSEN

        named = self.settings_file
        held = self._generation()
        held.check(MINED, CHOSEN)
        return load_dictionary(held.folder, self.root, self.settings.search.abbreviations, named)

    def searcher(self) -> Searcher:
        """Returns the read side of the present generation; loaded again after a new index."""
        with self._open().searching() as searcher:
            return searcher

    def _open(self) -> Opened:
        from hdlgraph.project.opened import Opened

        held, opened = self._generation(), self._opened
        if opened is None or opened.generation.id != held.id:
            if self._models is None:
                self._models = Models(self.settings, self._notes)
            # No part of what is opened leads back here: it is let go as soon as the project is.
            loads = self._models.embedder, self._models.encoder, self._models.trained
            self._opened = opened = Opened(held, *loads, self.features)
        return opened

    def generation(self) -> int:
        """Returns the number of the present generation: another one after each new index.

        Where the index is the same as before this takes one look at a file's time. What stays
        open, such as a server, asks the project again and again: every answer is of the present
        generation, and one that is under way ends with the generation that it began with.
        """
        return self._generation().manifest.generation

    def _generation(self) -> Generation:
        from hdlgraph.store.folder import Store

        # Looked at before it is read: a manifest that comes meanwhile is taken the next time.
        state, held = self._state(), self._held
        if held is None or not state or held[0] != state:
            self._held = held = (state, Store(self.folder).hold())
        return held[1]

    def _state(self) -> tuple[int, ...]:
        """Returns what distinguishes the manifest of the index from any other."""
        from hdlgraph.store.manifest import state_of

        return self.shared.state() if self.shared else state_of(self.folder)

    def manifest(self) -> Manifest:
        """Returns the manifest of the index (IndexMissingError, IndexVersionError)."""
        return self._generation().manifest

    def graph(self) -> Graph:
        """Returns the graph of the present generation."""
        return self._held_graph()[1]

    def _held_graph(self) -> tuple[Generation, Graph]:
        """Returns the present generation and its graph."""
        from hdlgraph.graph.kept import open_graph

        held, opened = self._generation(), self._graph
        # The generation is held as long as its graph is used: the system gives the number of a
        # file that is gone to another one, and the next lease would look like the former.
        if opened is None or opened[0].id != held.id:
            self._graph = opened = (held, open_graph(held.folder, held.key, held.check))
        return opened

    def moved(self) -> Moved:
        """Returns which files differ from what the index holds of them, by a cheap look.

        `status` compares all files in full.
        """
        return self._moved(self.manifest())

    @cached_property
    def _last_look(self) -> LastLook:
        from hdlgraph.index.moved import LastLook

        return LastLook()

    def _moved(self, manifest: Manifest) -> Moved:
        """Returns which files differ from what the index holds, as of a moment ago at most."""
        return self._last_look.moved(manifest, self._look)

    def _look(self, manifest: Manifest) -> Moved:
        """Returns which files differ now from what the index holds of them."""
        from hdlgraph.index.moved import look

        return self.shared.moved(self.root, manifest) if self.shared else look(self.root, manifest)

    def _note_on(self, moved: Moved) -> tuple[str, ...]:
        """Returns the note for people on what moved, none where nothing did."""
        if self.shared:
            return self.shared.note(self.root, moved)
        note = moved.note(str(self.root))
        return (note,) if note else ()

    def _remedy(self) -> str:
        """Returns what to do where the files are others than those that were indexed."""
        return self.shared.remedy() if self.shared else f"run `hdlgraph index {self.root}`"

    def explanations(self) -> Mapping[str, Explanation]:
        """Returns the explanation of every file, by path; read once for a generation."""
        from hdlgraph.store.explanations import read_jsonl

        held, kept = self._generation(), self._told_files
        if kept is None or kept[0] != held.id:
            held.check("explanations.jsonl")
            kept = (held.id, read_jsonl(held.folder / "explanations.jsonl"))
            self._told_files = kept
        return kept[1]

    def source_text(self, path: str) -> str:
        """Returns the text of an indexed file, "" where it cannot or may not be read any more.

        An index outside of its repository names that itself, and may come from a stranger: then
        a file counts only if it has the content that was indexed.
        """
        if self._own_root:
            return self._texts(path)
        entry = self._generation().manifest.files.get(path)
        return self._texts(path, entry.sha256) if entry and entry.sha256 else ""

    @cached_property
    def _texts(self) -> KeptTexts:
        from hdlgraph.index.discover.texts import KeptTexts

        return KeptTexts(self.root)

    def _project_bytes(self, place: str) -> bytes:
        """Returns the bytes of a project file as it was indexed, b"" where it is another now."""
        from hdlgraph.safety.safe_files import read_inside

        known = self.manifest().projects.get(place)
        try:
            data = read_inside(self.root.resolve(), place, PROJECT_BYTES)
        except (OSError, ValueError):
            return b""
        return data if self._own_root or (known and known[0] == len(data)) else b""

    def document_text(self, path: str) -> str | None:
        """Returns the text of an indexed document; None where it is none."""
        del path  # the part of a project that knows documents overrides this
        return None


def _shared(given: Path | str | None) -> SharedIndex | None:
    """Returns the shared index that an address names, None for a folder."""
    if given is None or not str(given).startswith(("s3:", "file:")):
        return None
    from hdlgraph.project.shared.index import shared_of

    return shared_of(given)
