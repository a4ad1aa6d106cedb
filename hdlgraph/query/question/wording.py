"""How a question is worded: its length, names, sentences, marks of pasted text.

What a question is like tells which features are to be trusted: an identifier or a line of a log
stands in the file word by word, a description of a function does not.
"""

from __future__ import annotations

import math
import re

import numpy as np

SIGNS = (
    "always", "long", "share of names", "has names", "names alone", "asks", "sentences", "message",
    "numbers", "verification", "short", "question mark", "quoted", "no comments", "many files",
    "colon",
)  # fmt: skip
"""What `signs` gives, in this order. `always` is 1; `no comments` and `many files` are of the
index; the others are 0 for what a question has not."""
USUAL, LONGEST = 20, 1.6
"""Words of a question of usual length, and the logarithm to this base at which more count no
further."""
SHORT, ALONE = 5, 3
"""Words of the longest question that keywords are taken for, and of one that a name is."""
SENTENCES, NUMBERS = (5, 3), (4, 4)
"""How many count at most, and what they are divided by."""
MIDDLE = 2.5
"""Decimal logarithm of the number of files of an index of usual size."""

_ASKS = re.compile(
    r"^\W*(?:which|what|where|who|whose|how|why|when|does|do|is|are|can|in which|show|find|list)\b",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"[A-Za-z$][\w$]*_[\w$]*|[a-z]+[A-Z]\w*|[A-Z]{2,}\w*\d\w*|\w+\.s?vh?\b|[a-z]{2,}\d+[a-z]\w*|`\w+"
)
_NUMBER = re.compile(r"(?<!\w)(?:0x[0-9a-f]+|\d+'[bhd]\w+|\d[\d.]*)(?!\w)", re.IGNORECASE)
_MESSAGE = re.compile(
    r"\b(?:error|warning|fatal|info|note|fail(?:ed|ure)|mismatch|expected|got|assert\w*|uvm_\w+"
    r"|time|at)\b\s*[:=\-(\[@*#]|%\w|[\[(]\d+ ?[np]s|@ ?\d+|^[#*]",
    re.IGNORECASE,
)
_WAY = re.compile(r"\b[A-Za-z_]\w*(?:\[\d+\])?(?:\.[A-Za-z_]\w*(?:\[\d+\])?){2,}")
"""A path through instances: three names or more."""
_END = re.compile(r"[.;!?](?:\s|$)")
_QUOTE = re.compile(r"[\"'`]")


def is_pasted(text: str) -> bool:
    """Returns whether a text looks like a line of a log, or has a path through instances."""
    return _MESSAGE.search(text) is not None or _WAY.search(text) is not None


def signs(text: str, verification: bool, bare: bool, n_files: int) -> np.ndarray:
    """Returns the signs of a question, float64 (len(SIGNS),).

    Args:
        text: the question.
        verification: whether it is about verification (`hdlgraph.query.question.analyse`).
        bare: whether comments introduce hardly any file of the index.
        n_files: files of the index.
    """
    n_words = max(len(text.split()), 1)
    names = len(_NAME.findall(text))
    length = min(math.log(n_words) / math.log(USUAL), LONGEST) - 1
    return np.asarray([
        1.0,
        length,
        min(names / n_words, 1.0),
        float(names > 0),
        float(names > 0 and n_words <= ALONE),
        float(_ASKS.search(text) is not None),
        min(len(_END.findall(text)), SENTENCES[0]) / SENTENCES[1],
        float(_MESSAGE.search(text) is not None),
        min(len(_NUMBER.findall(text)), NUMBERS[0]) / NUMBERS[1],
        float(verification),
        float(n_words <= SHORT),
        float(text.rstrip().endswith("?")),
        float(_QUOTE.search(text) is not None),
        float(bare),
        math.log10(max(n_files, 1)) - MIDDLE,
        float(":" in text),
    ])  # fmt: skip
