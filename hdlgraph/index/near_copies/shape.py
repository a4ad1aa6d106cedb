"""Describes the code of one file, so that nearly equal files are found without a second reading.

A file's code is cut into names, numbers and signs. Comments and white space do not count, and the
file's own name and those of its units stand as one sign, so that a renamed copy looks the same.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from functools import lru_cache

import msgspec
import numpy as np

RUN = 5
"""Tokens of a run: two files are compared by the runs of so many tokens that they share."""
RUN_BYTES = 8
KEPT = 256
"""Hashes of runs that are kept of a file, the smallest; of fewer runs all, and then it is exact."""
OWN = "\0"
"""Stands for the file's own name and those of its units."""
_GUARD = ("", "_sv", "_svh", "_v", "_vh")
"""What an include guard puts behind the name of its file."""
_TOKEN = re.compile(
    r"//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)"
    r"|([A-Za-z_$`][\w$]*"
    r"|'?[0-9][\w'.?]*|'[sS]?[bodhBODH][\w?]+"
    r'|"(?:[^"\\\n]|\\.)*"?|[^\s\w])'
)
"""A comment, or in its group a name, a number, a text or a sign."""
_NAME = re.compile(r"[A-Za-z_$`]")
_NUMBER = re.compile(r"'?[0-9]|'[sS]?[bodhBODH][\w?]")
_MIX = np.uint64(0x9E3779B97F4A7C15)


class Shape(msgspec.Struct, frozen=True, array_like=True):
    """The code of one file.

    `digest` is that of all tokens, numbers included; `tokens` how many there are; `runs` (uint64
    bytes, sorted) are the KEPT smallest hashes of its runs, in which all numbers are alike.
    """

    digest: bytes
    tokens: int
    runs: bytes


def shape_of(text: str, own_names: Iterable[str]) -> Shape:
    """Returns the shape of a file's text.

    Args:
        text: the whole file.
        own_names: the name of the file without suffix, and those of the units that it declares.
    """
    own = {f"{name.lower()}{end}" for name in own_names if name for end in _GUARD}
    tokens = list(filter(None, _TOKEN.findall(text)))
    exact, hashes = {}, {}
    for token in set(tokens):
        is_own = _NAME.match(token) and token.lower().strip("_`") in own
        exact[token] = OWN if is_own else token
        hashes[token] = _hash("0" if _NUMBER.match(token) else exact[token])
    whole = "\n".join(map(exact.__getitem__, tokens)).encode("utf-8", "replace")
    digest = hashlib.blake2b(whole, digest_size=16).digest()
    runs = np.fromiter(map(hashes.__getitem__, tokens), np.uint64, len(tokens))
    return Shape(digest, len(tokens), _smallest(runs).tobytes())


def _smallest(hashes: np.ndarray) -> np.ndarray:
    count = len(hashes) - RUN + 1
    if count < 1:
        return np.zeros(0, np.uint64)
    runs = np.zeros(count, np.uint64)
    for at in range(RUN):
        runs = (runs ^ hashes[at : at + count]) * _MIX
        runs ^= runs >> np.uint64(29)
    return _once(runs)[:KEPT]


def _once(values: np.ndarray) -> np.ndarray:
    """Returns values sorted, each once.

    Not np.unique: its first call loads numpy.ma, 0.05 s of each run.
    """
    ordered = np.sort(values)
    is_first = np.ones(len(ordered), bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_first]


@lru_cache(maxsize=100_000)
def _hash(token: str) -> int:
    data = token.encode("utf-8", "replace")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


def likeness(one: Shape, other: Shape) -> float:
    """Returns the share, 0 to 1, of the runs of both files that stand in both (Jaccard index).

    It is exact for files of at most KEPT different runs, else estimated from the KEPT smallest
    hashes of both together; its standard error is below .02 where nine tenths are shared.

    Source: Broder, On the resemblance and containment of documents, 1997.
    """
    left, right = (np.frombuffer(shape.runs, np.uint64) for shape in (one, other))
    if not len(left) or not len(right):
        return 0.0
    ordered = np.sort(np.concatenate((left, right)))
    both = _once(ordered)
    if len(left) == KEPT or len(right) == KEPT:
        both = both[:KEPT]
    shared = ordered[1:][ordered[1:] == ordered[:-1]]  # no run stands twice in one file
    return float((shared <= both[-1]).sum() / len(both))


def most_likeness(one: Shape, other: Shape) -> float:
    """Returns what `likeness` is at most, by the numbers of runs alone."""
    least, most = sorted((len(one.runs), len(other.runs)))
    if least == 0:
        return 0.0
    return least / most if most < KEPT * RUN_BYTES else 1.0
