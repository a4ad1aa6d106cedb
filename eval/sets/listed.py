"""Corpus lists: which files of an index are the candidates of a run."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from hdlgraph.errors import UsageError

MAX_PROBLEMS = 10


def read_corpus(path: Path, indexed: Collection[str]) -> tuple[str, ...]:
    """Returns the sorted paths of a corpus list: one a line, `#` comments and blanks skipped.

    Raises:
        UsageError: it cannot be read, is empty, or names a path that is not in the index.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise UsageError(f"cannot read {path}: {reason}; check the file") from error
    named = [
        (f"{path}:{number}", line.strip().removeprefix("./"))
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    return _checked(str(path), named, indexed)


def check_candidates(paths: Sequence[str], indexed: Collection[str]) -> tuple[str, ...]:
    """Returns the sorted paths of a list that a program made.

    Raises:
        UsageError: it is empty, or names a path that is not in the index.
    """
    return _checked("candidates", [("candidates", path) for path in paths], indexed)


def _checked(
    source: str, named: Sequence[tuple[str, str]], indexed: Collection[str]
) -> tuple[str, ...]:
    unknown = [f"{at}: {name} is not in the index" for at, name in named if name not in indexed]
    if unknown:
        cut = len(unknown) - MAX_PROBLEMS
        lines = [*unknown[:MAX_PROBLEMS], *([f"... and {cut} more"] if cut > 0 else [])]
        raise UsageError(*lines[:-1], f"{lines[-1]}; correct or remove the line")
    if not named:
        raise UsageError(f"{source}: names no file; write one path of the index a line")
    return tuple(sorted({name for _, name in named}))
