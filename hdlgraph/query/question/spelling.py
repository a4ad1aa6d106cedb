"""Names that a question misspells or cuts short: what the index has that is spelt nearly so."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.named.fragments import fragments
from hdlgraph.query.question.edits import nearest
from hdlgraph.words import stem

LEAST, SHORTEST = 8, 6
"""Signs, and letters among them, of the shortest name that is looked at: shorter ones are near to
too many."""
MOST_WHOLE = 3
"""Names of which a part may be one: of more it says too little."""
MOST_NAMES = 4
"""Names of one question that are looked up."""
_NAME = re.compile(r"(?<![\w.$`])[A-Za-z]\w*(?![\w.])")
_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")


def respelt(text: str, names: Mapping[str, str]) -> str:
    """Returns a text with names as the index spells them.

    A name without `_` keeps its place, as its capitals part its words, and the other follows it.

    Args:
        text: of a question.
        names: a name as the question has it -> as the index has it.
    """

    def spelt(match: re.Match[str]) -> str:
        name = match[0]
        near = names.get(name, name)
        return near if near == name or "_" in name else f"{name} {near}"

    return _NAME.sub(spelt, text) if names else text


def misspelt(text: str, lexicon: Lexicon) -> dict[str, str]:
    """Returns the names of a text that the index lacks, each with what is spelt nearly so.

    A name has a `_` or a capital inside, or is all capitals. What is near to several names equally
    is left out; what is near to none may be a part of a few, which then stand for it.
    """
    found: dict[str, str] = {}
    looked_up = 0
    for name in dict.fromkeys(_NAME.findall(text)):
        is_name = "_" in name.strip("_") or _INNER_CAPITAL.search(name) or name.isupper()
        known = {name.lower(), stem(name.lower())}
        if not is_name or len(name) < LEAST or any(map(lexicon.document_frequency, known)):
            continue
        looked_up += 1
        if looked_up > MOST_NAMES:
            break
        near = nearest(name.lower().strip("_"), lexicon, SHORTEST)
        if len(near) == 1:
            found[name] = near[0]
        elif not near and (whole := _having(name, lexicon)):
            found[name] = " ".join(whole)
    return found


def _having(name: str, lexicon: Lexicon) -> list[str]:
    """Returns the few names of an index that a name fits best as a part; [] where many do."""
    fits = fragments([name], lexicon)
    best = max(fits.values(), default=0.0)
    found = sorted(term for term, fit in fits.items() if fit == best)
    return found if len(found) <= MOST_WHOLE else []
