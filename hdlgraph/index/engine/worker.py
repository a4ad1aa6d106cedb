"""What a task of a cluster does: one batch of some work, in a process that serves many batches."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

from hdlgraph.errors import HdlgraphError, UsageError

KEPT = 4
"""Pieces of work that a process keeps open: their models are loaded once."""
LIBRARIES = ("numpy", "onnxruntime", "tokenizers", "msgspec")
_open: dict[str, Callable[[Any], Any]] = {}


@cache
def code_digest() -> str:
    """Returns a digest of all code that results depend on: hdlgraph's, its libraries', Python."""
    from importlib.metadata import version

    from hdlgraph.index.request import program_digest, readers_digest

    found = ".".join(map(str, sys.version_info[:2]))
    libraries = " ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return f"{program_digest()} {readers_digest()}, Python {found}, {libraries}"


def run(name: str, work: bytes, code: str, batch: bytes) -> bytes:
    """Returns (True, result) or (False, error) of a batch, pickled.

    Args:
        name: of the work; a process opens it once.
        work: the work, pickled.
        code: `code_digest` of the machine that sent it.
        batch: pickled.
    """
    try:
        outcome: tuple[bool, Any] = (True, _opened(name, work, code)(pickle.loads(batch)))
    except HdlgraphError as error:
        outcome = (False, error)
    except Exception as error:  # the boundary of one task: told to the user, never retried
        outcome = (False, HdlgraphError(f"{type(error).__name__}: {error}"))
    return pickle.dumps(outcome, pickle.HIGHEST_PROTOCOL)


def _opened(name: str, work: bytes, code: str) -> Callable[[Any], Any]:
    if name not in _open:
        check_code(code)
        while len(_open) >= KEPT:
            _close(_open.pop(next(iter(_open))))
        _open[name] = pickle.loads(work)
    return _open[name]


def check_code(code: str) -> None:
    """Raises UsageError where this machine would not give the same results."""
    own = code_digest()
    if own != code:
        raise UsageError(
            f"its hdlgraph or the libraries are others than here ({own}; here {code}): install "
            "the same versions on all machines"
        )


def _close(work: Any) -> None:
    close = getattr(work, "close", None)
    if close is not None:
        close()
