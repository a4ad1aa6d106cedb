"""What the parts of identifiers mean: `arb` is an arbiter, `cs registers` are control registers.

`abbreviations.txt` holds general vocabulary of RTL, processors, systems on chip and verification;
a repository's own "Long Form (LF)" comments add to it (`phrases.mine_long_forms`). Keys are parts
of identifiers in lower case, as `words.split_identifier` cuts them.
"""

from __future__ import annotations

from functools import lru_cache

from hdlgraph.knowledge.projects import Projects, added
from hdlgraph.knowledge.tables import pairs, sections


@lru_cache(maxsize=1)
def _sections() -> dict[str, list[str]]:
    return sections("abbreviations.txt")


@lru_cache(maxsize=8)
def abbreviations(projects: Projects = ()) -> dict[str, str]:
    """Returns identifier part -> its everyday words, sorted.

    Args:
        projects: the project tables in force.
    """
    general = pairs(_sections()["abbreviations"], "=")
    return dict(sorted((pairs(added(projects, "abbreviations"), "=") | general).items()))


def _words(title: str) -> frozenset[str]:
    return frozenset(" ".join(_sections()[title]).split())


NOISE = _words("noise")
"""Direction, state and type markers that say nothing when words are wanted."""

ACRONYMS = _words("acronyms")
"""Parts that are written in capitals when they stand in a sentence."""

EVERYDAY = _words("everyday")
"""Short forms that are also words, or the beginning of many: in lower case they say little."""

PHRASES = {tuple(two.split()): words for two, words in pairs(_sections()["pairs"], "=").items()}
"""Two neighbouring parts -> the meaning that only the pair has."""

LAST = pairs(_sections()["last"], "=")
"""Parts that have this meaning only at the end of an identifier."""
