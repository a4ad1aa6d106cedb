"""Question sets of several indexes, as a command line names them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hdlgraph.errors import UsageError


def named_sets(texts: Sequence[str]) -> dict[str, tuple[Path, Path]]:
    """Returns name -> (index folder, file of questions) of texts such as NAME=INDEX=QUESTIONS.

    Raises:
        UsageError: a text has another form.
    """
    sets = {}
    for text in texts:
        name, _, rest = text.partition("=")
        index, _, file = rest.partition("=")
        if not (name and index and file):
            raise UsageError(f"{text}: write NAME=INDEX=QUESTIONS")
        sets[name] = (Path(index), Path(file))
    return sets
