"""Names: a question that writes an identifier or a file name means what declares it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hdlgraph.query.features.feature import Asked, Ranking, Scores
from hdlgraph.query.features.graph import graph_of
from hdlgraph.query.lexicon import Lexicon
from hdlgraph.results import Evidence

MOST = 40
"""Files that a name may pick; one that more files declare picks none of them."""
ITSELF = 0.2
"""Share for the named file itself where the question asks what instantiates it."""


class DeclaredName:
    """Scores the files that declare a name that the question writes."""

    name = "names"

    def score(self, asked: Asked) -> Scores | None:
        """Returns the part identifier, None where the question names nothing."""
        places = declared(asked.index.lexicon, asked.question.identifiers)
        if not places:
            return None
        named = np.zeros(asked.n_files, np.float32)
        named[list(places)] = asked.weights.identifier
        graph = graph_of(asked)
        if asked.question.instantiates and graph is not None:
            named = np.maximum(ITSELF * named, graph.children_max(named))
        return NameScores({"identifier": named}, places=places)


@dataclass(frozen=True, kw_only=True)
class NameScores(Scores):
    """Scores by names; `places` is file -> (name as written, line)."""

    places: dict[int, tuple[str, int]]

    def evidence(self, ranking: Ranking, number: int) -> Iterator[Evidence]:
        """Yields one line: where the file declares the name."""
        if number in self.places:
            name, line = self.places[number]
            path = ranking.asked.index.lexicon.paths[number]
            score = ranking.part("identifier", number)
            yield Evidence("identifier", path, line, f"defines {name}", score)


def declared(lexicon: Lexicon, identifiers: Sequence[str]) -> dict[int, tuple[str, int]]:
    """Returns file -> (name, line) of the files that declare one of the names.

    Where a name is declared as the question spells it, capitals included, other spellings of it
    are other things: the macro `QUEUE_DEPTH` is not the module `queue_depth`.
    """
    found: dict[int, tuple[str, int]] = {}
    for word in identifiers:
        for name in (word, word.rsplit(".", 1)[0]):
            places = lexicon.places(name.lower())
            exact = [p for p in places if name in (p[3], p[3].rsplit(".", 1)[0])]
            for number, line, _, written in exact or places:
                kept = found.get(number)
                if kept is None or kept[1] == 1:
                    found[number] = (written, line)
    return found if len(found) <= MOST else {}
