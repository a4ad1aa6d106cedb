"""A generation opened for questions: it stays on disk meanwhile, and its checksums are checked."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from hdlgraph.errors import HdlgraphError, IndexDamagedError
from hdlgraph.graph import file_edges
from hdlgraph.knowledge.dictionary import MINED
from hdlgraph.knowledge.projects import CHOSEN
from hdlgraph.query.index_view import IndexView
from hdlgraph.query.rank import FEATURES
from hdlgraph.query.search import Searcher
from hdlgraph.store import lexical, structures, surfaces

if TYPE_CHECKING:
    from hdlgraph.query.features.feature import Feature
    from hdlgraph.store.folder import Generation

T = TypeVar("T")

SEARCHED = (
    *(lexical.FOLDER, surfaces.FOLDER, structures.FOLDER),
    *(file_edges.NAME, file_edges.FOLDER, MINED, CHOSEN),
)
"""Files, and folders of files, of a generation that a search reads."""


STRANGE = (EOFError, ValueError, LookupError, RecursionError, MemoryError)
"""What reading an index raises that has fitting checksums and is still no index of ours."""


class Opened:
    """The read side of one generation.

    Args:
        generation: the held generation.
        load_embedder: see `IndexView`.
        load_encoder: see `IndexView`.
        load_trained: see `IndexView`.
        features: ranking features beside those of hdlgraph.
    """

    def __init__(
        self,
        generation: Generation,
        load_embedder: Callable[[], Any],
        load_encoder: Callable[[], Any],
        load_trained: Callable[[], Any],
        features: Sequence[Feature] = (),
    ) -> None:
        self.generation = generation
        self._load = (load_embedder, load_encoder, load_trained)
        self._features = (*FEATURES, *features)
        self._searcher: Searcher | None = None
        # Beside the models' start: reading and hashing leave the interpreter to others.
        self._checked = self.beside(generation.check, *SEARCHED)

    def beside(self, work: Callable[..., T], *arguments: Any) -> Future[T]:
        """Returns what `work` will return, which is done beside the start of a search."""
        pool = ThreadPoolExecutor(1, thread_name_prefix="checksums")
        waiting = pool.submit(work, *arguments)
        pool.shutdown(wait=False)
        return waiting

    @contextmanager
    def searching(self) -> Iterator[Searcher]:
        """Yields the searcher; at the end the checksums of the files that it read are checked.

        Raises:
            IndexDamagedError: a file of the generation is not as it was written.
        """
        try:
            if self._searcher is None:
                index = IndexView(self.generation.folder, *self._load)
                index.held = self.generation  # parts are loaded when they are needed
                self._searcher = Searcher(index, features=self._features)
            yield self._searcher
        except HdlgraphError:
            raise
        except Exception as error:
            self._checked.result()
            if isinstance(error, STRANGE) and not os.environ.get("HDLGRAPH_DEBUG"):
                raise IndexDamagedError(
                    f"index {self.generation.folder}: cannot be used ({type(error).__name__}: "
                    f"{error}); rebuild it with `hdlgraph index --fresh REPO`, and if that does "
                    "not help, set HDLGRAPH_DEBUG=1 for the traceback and report it"
                ) from error
            raise
        self._checked.result()
