"""Notes what linking a file asks of others, and tells whether the answers are still the same.

A link of a file is made of its facts and of what the repository says to its questions: which files
define a name, which files a file includes. While all answers are the same, so are its edges.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

SIZE = 12
"""Bytes of a stamp."""


class Asked:
    """The questions since the last `begin`, each as a letter for its kind and a name."""

    def __init__(self) -> None:
        self.all: set[str] = set()

    def begin(self) -> None:
        """Forgets all questions."""
        self.all = set()


class Space(dict[str, Any]):
    """Definitions by name; what is looked up in it is noted.

    Args:
        sign: a letter for the kind of the definitions.
        asked: takes the notes.
    """

    def __init__(self, sign: str, asked: Asked) -> None:
        super().__init__()
        self.sign, self.asked = sign, asked

    def get(self, key: str, default: Any = None) -> Any:
        """Returns the definitions of a name."""
        self.asked.all.add(self.sign + key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> Any:
        self.asked.all.add(self.sign + key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self.asked.all.add(f"{self.sign}{key}")
        return super().__contains__(key)

    def quietly(self, key: str) -> Any:
        """Returns the definitions of a name, None of an unknown one, without a note."""
        return super().get(key)


Answer = Callable[[str], Iterable[bytes]]
"""Gives what stands for the answer to a question by its name, in parts."""


class Stamps(dict[str, bytes]):
    """A stamp of the answer to each question that is put.

    Args:
        answers: who answers, by the letter of the question.
    """

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        super().__init__()
        self._answers = answers

    def __missing__(self, question: str) -> bytes:
        answer = self._answers.get(question[:1])
        if answer is None:  # of another version's cache
            return b""
        parts = list(answer(question[1:]))
        found = parts[0] if len(parts) == 1 and len(parts[0]) == SIZE else stamp(*parts)
        self[question] = found
        return found

    def of(self, questions: Iterable[str]) -> bytes:
        """Returns the stamps of questions, one behind the other."""
        return b"".join(map(self.__getitem__, questions))


def stamp(*parts: bytes) -> bytes:
    """Returns what stands for bytes."""
    lengths = b",".join(b"%d" % len(part) for part in parts)
    return hashlib.blake2b(b"".join((lengths, b";", *parts)), digest_size=SIZE).digest()
