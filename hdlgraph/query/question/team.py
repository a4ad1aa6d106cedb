"""A team's own short forms in a search: what they stand for is searched as well, both ways."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hdlgraph.knowledge.dictionary import phrase
from hdlgraph.knowledge.short_forms import ShortForm
from hdlgraph.words import stem

LONGEST = 8
"""Most words of a long form that is looked for in a question."""
_WORD = re.compile(r"[A-Za-z][\w$]*")


class TeamWords:
    """The short forms of a team's file, `search.abbreviations` of the settings.

    Args:
        forms: as `hdlgraph.knowledge.dictionary.read_team` gives them.
    """

    def __init__(self, forms: Iterable[ShortForm]) -> None:
        self._long: dict[str, list[str]] = {}
        self._short: dict[tuple[str, ...], list[str]] = {}
        for form in forms:
            self._long.setdefault(form.short.lower(), []).append(form.long)
            self._short.setdefault(phrase(form.long), []).append(form.short.lower())

    def terms(self, text: str) -> dict[str, tuple[str, ...]]:
        """Returns what a question's terms say in other words, by stemmed term.

        A short form gets the words of its long forms, the last word of a long form the short ones.
        """
        found: dict[str, dict[str, None]] = {}
        for short in self._written(text):
            spelt = (word for long in self._long[short] for word in phrase(long))
            found.setdefault(stem(short), {}).update(dict.fromkeys(spelt))
        words = phrase(text)
        for start in range(len(words)):
            for end in range(start + 1, min(start + LONGEST, len(words)) + 1):
                for short in self._short.get(words[start:end], ()):
                    found.setdefault(words[end - 1], {}).setdefault(stem(short))
        return {term: tuple(others) for term, others in found.items()}

    def spelt_out(self, text: str) -> str:
        """Returns a question with the long forms of its short ones after it, for its meaning."""
        longs = [long for short in self._written(text) for long in self._long[short]]
        return f"{text} ({', '.join(longs)})" if longs else text

    def _written(self, text: str) -> list[str]:
        """Returns the short forms of the team that a question writes, in order."""
        seen = dict.fromkeys(word.lower() for word in _WORD.findall(text))
        return [word for word in seen if word in self._long]
