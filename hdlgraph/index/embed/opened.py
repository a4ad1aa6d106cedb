"""Models that are open in this process, each once, with the vectors of the last questions."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

if TYPE_CHECKING:
    import numpy as np

KEPT = 64
"""Questions, and parts of questions, whose vectors are kept."""


class OpenModel:
    """A model's session, which threads share, and the vectors of the last questions.

    Args:
        session: of the model.
    """

    def __init__(self, session: Any) -> None:
        self.session = session
        self._questions: OrderedDict[Any, Future[np.ndarray]] = OrderedDict()
        self._lock = threading.Lock()

    def question(self, key: Any, make: Callable[[], np.ndarray]) -> np.ndarray:
        """Returns the vector of a question, made once though several threads ask for it.

        Args:
            key: all that the vector depends on beside the model.
            make: makes it.
        """
        with self._lock:
            found = self._questions.get(key)
            own = found is None
            if found is None:
                found = self._questions[key] = Future()
            self._questions.move_to_end(key)
            while len(self._questions) > KEPT:
                self._questions.popitem(last=False)
        if own:
            try:
                found.set_result(make())
            except BaseException as error:
                with self._lock:
                    self._questions.pop(key, None)
                found.set_exception(error)
                raise
        return found.result()


class _Open:
    """The models that something in this process uses, by file and its state."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.models: WeakValueDictionary[tuple[Any, ...], OpenModel] = WeakValueDictionary()


_STATE = {"open": _Open()}


def open_once(file: Path, load: Callable[[Path], Any]) -> OpenModel:
    """Returns a model that is open, or opens it; it stays so as long as something holds it."""
    try:
        state = file.stat()
    except OSError:
        return OpenModel(load(file))  # which says what is wrong
    key = (file, state.st_ino, state.st_size, state.st_mtime_ns)
    known = _STATE["open"]
    with known.lock:
        found = known.models.get(key)
        if found is None:
            found = known.models[key] = OpenModel(load(file))
        return found


def _renew() -> None:
    # What another thread had locked when the process was forked stays locked in the child.
    _STATE["open"] = _Open()


os.register_at_fork(after_in_child=_renew)
