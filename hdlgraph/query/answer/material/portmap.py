"""Leaves out of a long instance the connections that only pass a signal of the same name on."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from hdlgraph.words import terms

LONG = 14  # lines of an instance of which connections are left out
SAVED = 4  # lines; fewer are not worth the gap
_SAME = re.compile(
    r"^\s*,?\s*\.(?P<port>\w+)\s*(?:\(\s*(?P<signal>\w+)\s*(?:\[[\w:\s-]*\])?\s*\))?"
    r"\s*,?\s*(?://.*)?$"
)
_SIDE = re.compile(r"_(?:[iobq]|in|out|ni|no|li|lo|[dr])$")


def informative(lines: Sequence[str], numbers: Sequence[int], asked: Collection[str]) -> list[int]:
    """Returns the lines of an instance without the plain connections that nobody asks for.

    Args:
        lines: of the file.
        numbers: the lines of the instance.
        asked: the question's terms.
    """
    if len(numbers) <= LONG:
        return list(numbers)
    kept = [n for n in numbers if not _plain(lines[n - 1], asked)]
    kept = sorted({numbers[0], *kept, numbers[-1]})
    return kept if len(numbers) - len(kept) >= SAVED else list(numbers)


def _plain(line: str, asked: Collection[str]) -> bool:
    """Returns whether a line connects a port to a signal of its name, neither asked for."""
    found = _SAME.match(line)
    if found is None or any(term in asked for term in terms(line)):
        return False
    if found["signal"] is None:
        return True
    port, signal = _SIDE.sub("", found["port"]).lower(), _SIDE.sub("", found["signal"]).lower()
    return port == signal or signal.endswith(f"_{port}") or port.endswith(f"_{signal}")
