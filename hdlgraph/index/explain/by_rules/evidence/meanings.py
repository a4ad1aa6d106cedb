"""Chooses what an identifier part with several meanings stands for in each folder."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence

import msgspec

from hdlgraph.index.kept.functions import kept, of_content
from hdlgraph.index.kept.unchanged import stamp_of
from hdlgraph.index.link.copies import ancestors
from hdlgraph.knowledge.senses import sense_words, senses
from hdlgraph.model import FileRecord

CLEARLY = 2
"""How many times as much must speak for a meaning as for the next one."""
ALONE = 3
"""Files that must say the only word that is heard of several."""
AFAR = 0.03
"""Share of all files that must speak for a meaning where none nearby does."""
MAX_TEXT = 8_000
"""Characters of a file's comments that are looked at."""
_WORD = re.compile(r"[a-z]{3,}")
Chosen = tuple[tuple[str, str], ...]
_Choices = tuple[list[Chosen], dict[str, int]]
"""Different choices, and the number of that of each folder."""


class MeaningsAround:
    """What the files of each folder say of the meanings of ambiguous identifier parts.

    The nearest folder that tells decides; where no folder does, a part has no meaning.

    Args:
        records: facts of all files.
        settled: parts whose meaning the repository spells out.
    """

    def __init__(self, records: Sequence[FileRecord] = (), settled: Collection[str] = ()) -> None:
        self._open = {
            part: [(meaning, sorted(around)) for meaning, around in each]
            for part, each in senses().items()
            if part not in settled
        }
        self._parts: dict[str, set[str]] = defaultdict(set)
        for part, each in self._open.items():
            for word in (word for _, around in each for word in around):
                self._parts[word].add(part)
        self._counts: dict[str, Counter[str]] = defaultdict(Counter)
        self._chosen: dict[str, Chosen] = {}
        self._enough = max(1.0, AFAR * len(records))
        folders = [record.path.rpartition("/")[0] for record in records]
        key = msgspec.msgpack.encode((list(self._open), folders, stamp_of(_words, records)))

        def make() -> _Choices:
            return self._choices(zip(folders, map(_words, records), strict=True))

        choices, numbers = of_content("meanings", key, _Choices, make)
        self._chosen = {folder: choices[number] for folder, number in numbers.items()}

    @property
    def state(self) -> tuple[object, ...]:
        """Returns all that is chosen."""
        numbers: dict[Chosen, int] = {}
        chosen = sorted(self._chosen.items())
        by_folder = [(folder, numbers.setdefault(one, len(numbers))) for folder, one in chosen]
        return list(self._open), list(numbers), by_folder

    def _choices(self, heard: Iterable[tuple[str, Iterable[str]]]) -> _Choices:
        """Returns what is chosen in each folder, from (folder, words) of each file."""
        for own, words in heard:
            for folder in ("", *ancestors(own)):
                self._counts[folder].update(words)
        known: dict[Chosen, int] = {}
        numbers = {
            folder: known.setdefault(self._at(folder), len(known))
            for folder in sorted(self._counts)
        }
        return list(known), numbers

    def of(self, path: str) -> Chosen:
        """Returns the ambiguous parts and what each stands for in a file, "" for nothing."""
        return self._at(path.rpartition("/")[0])

    def _at(self, folder: str) -> Chosen:
        if folder not in self._chosen:
            above = dict(self._at(folder.rpartition("/")[0])) if folder else {}
            votes = self._counts.get(folder, Counter())
            enough = 1.0 if folder else self._enough
            heard = {part for word in votes for part in self._parts.get(word, ())}
            own = {part: _choice(self._open[part], votes, enough) for part in heard}
            self._chosen[folder] = tuple(
                (part, own.get(part) or above.get(part, "")) for part in self._open
            )
        return self._chosen[folder]


def _choice(meanings: Sequence[tuple[str, list[str]]], counts: Counter[str], enough: float) -> str:
    """Returns the meaning that clearly most speaks for, "" where there is none."""
    votes = [(_votes(counts, around, meaning), meaning) for meaning, around in meanings]
    best, meaning = max(votes, key=lambda one: one[0])
    second = sum(sorted(count for count, _ in votes)[:-1][-1:])
    return meaning if best >= enough and best >= CLEARLY * second else ""


def _votes(counts: Counter[str], around: Sequence[str], meaning: str) -> int:
    """Returns how many files speak for a meaning.

    One word of several alone says nothing, unless it is the meaning itself.
    """
    heard = [word for word in around if word in counts]
    votes = sum(counts[word] for word in heard)
    enough = len(heard) > 1 or len(around) == 1 or votes >= ALONE or meaning in heard
    return votes if enough else 0


@kept
def _words(record: FileRecord) -> tuple[str, ...]:
    texts = [record.path, record.header]
    room = MAX_TEXT
    for comment in record.comments:
        texts.append(comment.text[:room])
        room -= len(comment.text)
        if room <= 0:
            break
    for unit in record.units:
        texts += [unit.name, unit.comment[:MAX_TEXT]]
        texts += [port.name for port in unit.ports]
        texts += [instance.unit for instance in unit.instances]
    found = set(_WORD.findall(" ".join(texts).lower()))
    return tuple(sorted(sense_words() & found))
