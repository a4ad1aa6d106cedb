"""Writes the text of a file as its copy has it: names renamed, comments reworded.

The code is cut into comments, strings, numbers and names; everything else stays as it is, so that a
copy is as legal as its original. In comments words give way to others that say the same, sentences
of a line change places; lines of licences and orders to tools stay.
"""

from __future__ import annotations

import random
import re
from functools import lru_cache
from importlib.resources import files

from hdlgraph.eval.bench_scale.renaming import Renaming
from hdlgraph.knowledge import tables

_TOKEN = re.compile(
    r"(?P<line>//[^\n]*)|(?P<block>/\*.*?(?:\*/|\Z))"
    r'|(?P<string>"(?:[^"\\\n]|\\.)*")'
    r"|(?P<number>(?:\d[\d_]*)?'[sS]?[bodhBODH][ \t]*[\da-fA-FxXzZ?_]+|\d[\w.]*)"
    r"|(?P<system>\$\w+)"
    r"|(?P<name>[A-Za-z_][\w$]*)",
    re.DOTALL,
)
_IN_STRING = re.compile(r"\\.|%[\d.]*[A-Za-z]|[A-Za-z_][\w$]*")
_PROSE = re.compile(r"[A-Za-z_][\w$]*")
_ORDER = re.compile(
    r"\b(?:synopsys|synthesis|pragma|verilator|translate_o\w+|cadence|ambit|verilint|vcs|coverage"
    r"|lint_\w+|waive|spyglass|vcs|xilinx|altera)\b|copyright|spdx|https?:",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"^(\W*)([A-Z].*?[.;])(\s+)([A-Z].*?[.;]?)(\s*(?:\*/)?)$")
_RUN = 3
"""Words of a line that are looked up in the licences together."""


class Rewording:
    """Rewrites the files of one copy.

    Args:
        renaming: the names of the copy.
        seed: the same gives the same words; another copy has another one.
    """

    def __init__(self, renaming: Renaming, seed: str) -> None:
        self._renaming = renaming
        chance = random.Random(f"comments {seed}")
        self._synonyms = {
            word: chance.choice([w for w in group if w != word])
            for group in _groups()
            for word in group[:1]
        }
        self._turns = chance.random()
        self._lines: dict[str, str] = {}

    def code(self, text: str) -> str:
        """Returns the text of an HDL file as the copy has it."""
        return text if self._renaming.is_original else _TOKEN.sub(self._token, text)

    def prose(self, text: str) -> str:
        """Returns the text of a document, description or filelist as the copy has it."""
        if self._renaming.is_original:
            return text
        return "\n".join(map(self._line, text.split("\n")))

    def _token(self, found: re.Match[str]) -> str:
        kind, text = found.lastgroup, found[0]
        if kind == "name":
            return self._renaming.name(text)
        if kind == "line":
            return self._line(text)
        if kind == "block":
            return "\n".join(map(self._line, text.split("\n")))
        if kind == "string":
            return _IN_STRING.sub(self._of_string, text)
        return text

    def _of_string(self, found: re.Match[str]) -> str:
        text = found[0]
        return text if text[0] in "\\%" else self._renaming.name(text)

    def _line(self, line: str) -> str:
        """Returns one line of a comment or document, reworded."""
        new = self._lines.get(line)
        if new is None:
            new = self._lines[line] = self._reworded(line)
        return new

    def _reworded(self, line: str) -> str:
        if _ORDER.search(line) or _is_licence(line):
            return line
        parts = _SENTENCES.match(line)
        if parts and len(line) % 2 == int(self._turns * 2):
            mark, one, space, other, end = parts.groups()
            line = f"{mark}{other}{space}{one}{end}"
        return _PROSE.sub(self._word, line)

    def _word(self, found: re.Match[str]) -> str:
        word = found[0]
        other = self._synonyms.get(word.lower())
        if other is None:
            return self._renaming.name(word)
        return other.capitalize() if word[0].isupper() else other


@lru_cache(maxsize=1)
def _groups() -> tuple[tuple[str, ...], ...]:
    text = (files("hdlgraph.eval") / "data/scale/synonyms.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return tuple(tuple(word.strip() for word in line.split(",")) for line in lines)


@lru_cache(maxsize=1)
def _licence_runs() -> frozenset[tuple[str, ...]]:
    return frozenset(run for line in tables.lines("licences.txt") for run in _runs(line))


def _runs(line: str) -> list[tuple[str, ...]]:
    words = [word.lower() for word in _PROSE.findall(line)]
    return list(zip(*(words[at:] for at in range(_RUN)), strict=False))


@lru_cache(maxsize=100_000)
def _is_licence(line: str) -> bool:
    """Returns whether half of the runs of words of a line stand in licences."""
    runs = _runs(line)
    return bool(runs) and sum(run in _licence_runs() for run in runs) >= len(runs) / 2
