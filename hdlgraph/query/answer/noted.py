"""The notes beside an answer: none twice, and none on a search that the answer does not rest on."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from hdlgraph.query.result.weak import WEAK
from hdlgraph.results import Answer, SearchResult

OF_SEARCH = (
    WEAK,
    "looked first in ",
    "also searched by its parts: ",
    "no content words in the question",
)
"""How notes begin that say how files were searched, or that none of them fits."""
RESPELT = " stands nowhere: searched as "
"""What a note says of a name that was taken for another one."""


def exact(result: SearchResult, text: str) -> SearchResult:
    """Returns a result without the notes that an exact answer makes untrue.

    Args:
        result: what search found beside the answer.
        text: of the answer, which may tell of a name that search did not know.
    """
    kept = [
        note
        for note in result.notes
        if not note.startswith(OF_SEARCH)
        and not (RESPELT in note and note.partition(RESPELT)[0] in text)
    ]
    return msgspec.structs.replace(result, notes=tuple(kept))


def once(answer: Answer) -> Answer:
    """Returns an answer whose notes, with those of its search, each stand once.

    What one of them says as a part of another is left out.
    """
    own = _each(answer.notes)
    of_search = [note for note in _each(answer.result.notes) if note not in own]
    every = [*own, *of_search]
    said = {note for note in every if any(note != other and note in other for other in every)}
    notes = tuple(note for note in own if note not in said)
    result = msgspec.structs.replace(
        answer.result, notes=tuple(note for note in of_search if note not in said)
    )
    return msgspec.structs.replace(answer, notes=notes, result=result)


def _each(notes: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(notes))
