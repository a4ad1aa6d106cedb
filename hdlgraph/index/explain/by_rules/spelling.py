"""Names for people: as they are written, and in words that leave short forms short."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hdlgraph.index.explain.by_rules.phrases import Vocabulary
from hdlgraph.index.explain.by_rules.sentences import as_written
from hdlgraph.knowledge.abbreviations import ACRONYMS
from hdlgraph.knowledge.projects import Projects
from hdlgraph.knowledge.senses import senses

_LETTERS = re.compile(r"[a-z]+")


class AsWritten(Vocabulary):
    """Leaves every identifier as its file writes it, so that it can be searched for."""

    def __init__(self, projects: Projects = ()) -> None:
        super().__init__(projects=projects)
        self._plain = Vocabulary(projects=projects)

    def words(self, identifier: str) -> str:
        """Returns an identifier without its package."""
        return as_written(identifier.rpartition("::")[2].strip())

    def parts(self, identifier: str) -> list[str]:
        """Returns the identifier as its one part."""
        return [identifier]

    def instance(self, name: str) -> str:
        """Returns an instance's name, "" for one such as `u_inst` that says nothing."""
        return name if self._plain.instance(name) else ""

    def type_words(self, name: str) -> str:
        """Returns the name of a type with its ending."""
        return self.words(name)

    def begun(self, text: str) -> str:
        """Returns the name as it is, also at the start of a sentence."""
        return text

    def listing(self, identifiers: Iterable[str], limit: int = 12) -> str:
        """Returns distinct identifiers, comma separated, at most `limit`, in order."""
        seen = dict.fromkeys(filter(None, map(self.words, identifiers)))
        return ", ".join(list(seen)[:limit])


class Short(Vocabulary):
    """Spells out only what shortens a word (`ctrl`, `rd`); initials stay initials.

    Parts with several meanings stay as they are written, but for capitals.
    """

    def __init__(self, projects: Projects = ()) -> None:
        super().__init__(projects=projects)
        full = self._expand
        self._expand = {part: _short(part, meaning) for part, meaning in full.items()}
        self._expand |= {
            part: part for part in senses() if not self._expand.get(part, part).isupper()
        }
        initials = (part for part in sorted(full) if len(part) > 2 and self._expand[part].isupper())
        self._initials = {full[part].lower(): self._expand[part] for part in initials}

    def term(self, words: str) -> str:
        """Returns the initials that stand for a term, or the term itself."""
        return self._initials.get(words.lower(), words)


def label(identifier: str, vocabulary: Vocabulary) -> str:
    """Returns a name in words, "" where they would say no more: `axis_fifo` is "AXI stream FIFO".

    Only what shortens a word is spelt out (`ctrl`, `rd`); initials stay initials.
    """
    pieces, more = [], False
    for part in vocabulary.parts(identifier):
        word = _short(part, vocabulary.meaning(part))
        more = more or (word != part and not word.isupper())
        pieces.append(word)
    return " ".join(dict.fromkeys(pieces)) if more else ""


def _short(part: str, meaning: str) -> str:
    """Returns how a part of a name is said without spelling out initials."""
    words = _LETTERS.findall(meaning.lower())
    if not words:
        return part.upper() if part in ACRONYMS else part
    if part == words[0] and not meaning.islower():
        return meaning.split()[0]
    if part == "".join(word[0] for word in words):
        return part.upper()
    return meaning if _shortens(part, words) else part.upper() if part in ACRONYMS else part


def _shortens(part: str, words: list[str]) -> bool:
    """Returns whether the letters of `part` stand in this order in words whose first it begins."""
    letters = iter("".join(words))
    return part[0] == words[0][0] and len(words) < 3 and all(char in letters for char in part)
