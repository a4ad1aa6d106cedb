"""Mines abbreviations from the repository: a word of comments and the code's fragment for it.

A word of 5 letters or more maps to an identifier fragment of 3 to 6 letters when the fragment is
no word of the comments itself and spells the word: its first letters (`esc` for escalation), its
consonants (`dbg` for debug) or the first ones of them (`rsp` for response), or the first and the
last consonant around others (`mgr` for manager). Files that say the word must have the fragment,
P(fragment in code | word in comments) >= MIN_PROBABILITY, with a lift over P(fragment) of at
least MIN_LIFT (file counts).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

import msgspec

from hdlgraph.index.lexical.tokens import FileTokens, Mined
from hdlgraph.knowledge.abbreviations import EVERYDAY, abbreviations
from hdlgraph.knowledge.projects import Projects
from hdlgraph.words import STOP_WORDS, stem

MIN_PROBABILITY = 0.4
MIN_LIFT = 2.5
MIN_FILES = 3  # a pair seen in fewer files is an accident
MIN_FRAGMENT = 3  # letters; two letters fit too many words
MIN_WORD = 5
AS_WORD = 0.25  # a fragment that this share of its files' number has in comments is a word
MAX_PER_WORD = 2
MOST_ALIKE = 1000  # fragments with the same two first letters, commonest first
PAIRS = 200_000
"""Pairs whose spelling is remembered: `watch` asks about the same ones in every round."""
_NO_FRAGMENT = STOP_WORDS | EVERYDAY
_VOWELS = frozenset("aeiou")


@lru_cache(maxsize=PAIRS)
def is_abbreviation(fragment: str, word: str, projects: Projects = ()) -> bool:
    """Returns whether `fragment` could abbreviate `word` by spelling alone."""
    if len(fragment) < MIN_FRAGMENT or len(word) < MIN_WORD or fragment[0] != word[0]:
        return False
    known = abbreviations(projects).get(fragment)
    if known and not any(part.startswith(word[:4]) for part in known.lower().split()):
        return False
    if word.startswith(fragment):  # a stem, a word or the first part of a glued name is none
        return fragment not in _NO_FRAGMENT and len(stem(word)) - len(fragment) > 1
    if not _VOWELS.isdisjoint(fragment[1:]):
        return False
    once = _once(word)
    ends = fragment[-1] == once[-1] and _is_subsequence(fragment, once)
    return once.startswith(fragment) or (ends and len(once) - len(fragment) < 2)


def _once(word: str) -> str:
    """Returns the first letter and the later consonants of a word, none twice in a row."""
    bones = word[0] + "".join(char for char in word[1:] if char not in _VOWELS)
    return "".join(char for at, char in enumerate(bones) if not at or char != bones[at - 1])


def _is_subsequence(fragment: str, word: str) -> bool:
    letters = iter(word)
    return all(letter in letters for letter in fragment)


class Counts(msgspec.Struct, array_like=True):
    """In how many files each word of comments, fragment of code and pair of them stands.

    Only pairs ("word fragment") whose fragment could abbreviate the word are counted.
    """

    words: dict[str, int] = {}
    fragments: dict[str, int] = {}
    pairs: dict[str, int] = {}

    def add(self, other: Counts, times: int = 1) -> None:
        """Adds the counts of other files; with `times` -1 they are taken away."""
        for own, more in (
            (self.words, other.words),
            (self.fragments, other.fragments),
            (self.pairs, other.pairs),
        ):
            for name, count in more.items():
                total = own.get(name, 0) + times * count
                if total:
                    own[name] = total
                else:
                    own.pop(name, None)


def count(files: Iterable[FileTokens | Mined], projects: Projects = ()) -> Counts:
    """Returns the counts of some files."""
    words: Counter[str] = Counter()
    fragments: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    for file in files:
        words.update(file.comment_words)
        fragments.update(file.fragments)
        begun: dict[str, list[str]] = defaultdict(list)
        for fragment in file.fragments:
            begun[fragment[:2]].append(fragment)
        for word in file.comment_words:
            for two in _beginnings(word):
                for fragment in begun.get(two, ()):
                    if is_abbreviation(fragment, word, projects):
                        pairs[f"{word} {fragment}"] += 1
    return Counts(dict(words), dict(fragments), dict(pairs))


@lru_cache(maxsize=PAIRS)
def _beginnings(word: str) -> tuple[str, ...]:
    """Returns the two letters with which a fragment for a word may begin."""
    return tuple(dict.fromkeys(word[0] + letter for letter in (word[1], *_once(word)[1:3])))


def mine_abbreviations(
    files: Sequence[FileTokens], projects: Projects = ()
) -> dict[str, list[list[object]]]:
    """Returns stemmed word -> [[fragment, probability], ...], most probable first."""
    return abbreviations_of(count(files, projects), len(files))


def abbreviations_of(counts: Counts, files: int) -> dict[str, list[list[object]]]:
    """Returns stemmed word -> [[fragment, probability], ...] from the counts of so many files."""
    words, usual = counts.words, _usual(counts)
    mined: dict[str, dict[str, float]] = defaultdict(dict)
    for pair, together in counts.pairs.items():
        word, _, fragment = pair.partition(" ")
        if words[word] < MIN_FILES or fragment not in usual:
            continue
        probability = together / words[word]
        lift = probability / (counts.fragments[fragment] / max(files, 1))
        if probability >= MIN_PROBABILITY and lift >= MIN_LIFT:
            entry = mined[stem(word)]
            entry[fragment] = max(entry.get(fragment, 0.0), round(probability, 4))
    return {
        word: [list(p) for p in sorted(found.items(), key=lambda p: (-p[1], p[0]))[:MAX_PER_WORD]]
        for word, found in sorted(mined.items())
    }


def _usual(counts: Counts) -> set[str]:
    """Returns the fragments that may abbreviate: no words, the commonest of those alike."""
    words = counts.words
    present = [
        (-often, fragment)
        for fragment, often in counts.fragments.items()
        if often >= MIN_FILES and words.get(fragment, 0) < AS_WORD * often
    ]
    begun: Counter[str] = Counter()
    found = set()
    for _, fragment in sorted(present):
        begun[fragment[:2]] += 1
        if begun[fragment[:2]] <= MOST_ALIKE:
            found.add(fragment)
    return found
