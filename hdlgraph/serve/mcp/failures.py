"""What a failed call says to a model: no commands of a shell, and a next step that fits."""

from __future__ import annotations

import re

from hdlgraph.errors import HdlgraphError, IndexMissingError
from hdlgraph.safety.printable import visible

_WORDS = (
    ("`hdlgraph search` finds", "search_files finds"),
    ("give a path as `search` does", "give a path as search_files does"),
    ("`hdlgraph who` finds", "relations of kind who finds"),
    ("make it with `hdlgraph elaborate", "the user can make it with `hdlgraph elaborate"),
)
"""What errors say of the shell, and what they say to a model that has none."""
_STEPS = (
    (r"needs `(\w+)`", "Call {tool} again with `{0}`."),
    (r"there is none \(kept: none\)", "Call {tool} again without `config`."),
    (r"there is none \(kept: ", "Call {tool} again without `config`, or with one that is kept."),
    (
        r"name one as UNIT\.|give one of these|name one of its",
        "Call {tool} again with one of them.",
    ),
    (r"did you mean", "Call {tool} again with one of them; search_files finds others."),
    (r"no such range|lines, none from", "Call {tool} again with lines that the file has."),
)
"""The next step after an error, by what its message has."""


def message_of(error: HdlgraphError) -> str:
    """Returns what an error says, in words for a model."""
    message = " ".join(visible(line) for line in error.lines)
    for words, plain in _WORDS:
        message = message.replace(words, plain)
    return message


def next_step(error: HdlgraphError, tool: str, hint: str) -> str:
    """Returns what to do after an error: `hint` where nothing fits better.

    Args:
        error: what a call of the project raised.
        tool: the name of the tool.
        hint: what the tool says of failures.
    """
    if isinstance(error, IndexMissingError):
        return "The user has to make the index; then call again, the server need not restart."
    for pattern, step in _STEPS:
        if match := re.search(pattern, str(error)):
            return step.format(*match.groups(), tool=tool)
    return hint
