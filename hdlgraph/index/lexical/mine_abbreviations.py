"""Mines abbreviations from the repository: a word of comments and the code's fragment for it.

A word of 5 letters or more maps to an identifier fragment of 3 to 6 letters when the fragment is
no word of the comments itself and spells the word: its first letters (`esc` for escalation), its
consonants (`dbg` for debug) or the first ones of them (`rsp` for response), or the first and the
last consonant around others (`mgr` for manager). Files that say the word must have the fragment,
P(fragment in code | word in comments) >= MIN_PROBABILITY, with a lift over P(fragment) of at
least MIN_LIFT (file counts).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from hdlgraph.index.lexical.tokens import FileTokens
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
    """Tells whether `fragment` could abbreviate `word` by spelling alone."""
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


def mine_abbreviations(
    files: Sequence[FileTokens], projects: Projects = ()
) -> dict[str, list[list[object]]]:
    """Returns stemmed word -> [[fragment, probability], ...], most probable first."""
    word_files: dict[str, list[int]] = defaultdict(list)
    fragment_files: dict[str, list[int]] = defaultdict(list)
    for number, file in enumerate(files):
        for word in file.comment_words:
            word_files[word].append(number)
        for fragment in file.fragments:
            fragment_files[fragment].append(number)
    present = {
        fragment: np.asarray(where)
        for fragment, where in fragment_files.items()
        if len(where) >= MIN_FILES and len(word_files.get(fragment, ())) < AS_WORD * len(where)
    }
    begun: dict[str, list[str]] = defaultdict(list)
    for fragment in sorted(present, key=lambda one: (-len(present[one]), one)):
        begun[fragment[:2]].append(fragment)
    mined: dict[str, dict[str, float]] = defaultdict(dict)
    total = max(len(files), 1)
    for word in sorted(w for w, where in word_files.items() if len(where) >= MIN_FILES):
        mask = np.zeros(total, bool)
        mask[word_files[word]] = True
        beginnings = dict.fromkeys(word[0] + letter for letter in (word[1], *_once(word)[1:3]))
        for fragment in (one for two in beginnings for one in begun[two][:MOST_ALIKE]):
            if not is_abbreviation(fragment, word, projects):
                continue
            probability = float(mask[present[fragment]].sum()) / len(word_files[word])
            lift = probability / (len(present[fragment]) / total)
            if probability >= MIN_PROBABILITY and lift >= MIN_LIFT:
                entry = mined[stem(word)]
                entry[fragment] = max(entry.get(fragment, 0.0), round(probability, 4))
    return {
        word: [list(p) for p in sorted(found.items(), key=lambda p: (-p[1], p[0]))[:MAX_PER_WORD]]
        for word, found in sorted(mined.items())
    }
