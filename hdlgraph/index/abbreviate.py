"""Abbreviations mined from the repository: a comment's word and the code's fragment for it.

A word of 4 letters or more maps to an identifier fragment of 2 to 6 letters with the same first
letter that is a prefix or a consonant-keeping subsequence of it, when
P(fragment in code | word in comments) >= MIN_PROBABILITY and its lift over P(fragment) >= MIN_LIFT
(file counts). Finds escalation/esc, lifecycle/lc, arbiter/arb, response/rsp on OpenTitan.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from hdlgraph.index.tokens import FileTokens
from hdlgraph.words import stem

MIN_PROBABILITY = 0.3
MIN_LIFT = 2.5
MIN_FILES = 3  # a pair seen in fewer files is an accident
MAX_PER_WORD = 3


def is_abbreviation(fragment: str, word: str) -> bool:
    """Tells whether `fragment` could abbreviate `word` by spelling alone."""
    if fragment[0] != word[0] or len(fragment) >= len(word) or fragment == stem(word):
        return False
    if word.startswith(fragment):
        return len(fragment) >= 2
    position = 0
    for letter in fragment[1:]:
        position = word.find(letter, position + 1)
        if position < 0:
            return False
    return len(fragment) >= 2 and not any(c in "aeiou" for c in fragment[1:])


def mine_abbreviations(files: Sequence[FileTokens]) -> dict[str, list[list[object]]]:
    """Returns stemmed word -> [[fragment, probability], ...], most probable first."""
    word_files: dict[str, list[int]] = defaultdict(list)
    fragment_files: dict[str, list[int]] = defaultdict(list)
    for number, file in enumerate(files):
        for word in file.comment_words:
            word_files[word].append(number)
        for fragment in file.fragments:
            fragment_files[fragment].append(number)
    by_letter: dict[str, list[str]] = defaultdict(list)
    for fragment, where in fragment_files.items():
        if len(where) >= MIN_FILES:
            by_letter[fragment[0]].append(fragment)
    present = {f: np.asarray(w) for f, w in fragment_files.items() if len(w) >= MIN_FILES}
    mined: dict[str, dict[str, float]] = defaultdict(dict)
    total = max(len(files), 1)
    for word in sorted(w for w, where in word_files.items() if len(where) >= MIN_FILES):
        mask = np.zeros(total, bool)
        mask[word_files[word]] = True
        for fragment in by_letter[word[0]]:
            if not is_abbreviation(fragment, word):
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
