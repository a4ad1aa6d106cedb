"""The real designs that a corpus is made of: their files, words, and how their words grow."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from hdlgraph.eval.sets.corpora import TEXT, VERILOG, materialise
from hdlgraph.words import split_identifier

DESIGNS = (
    *("ibex", "serv", "picorv32", "mor1kx", "cva5", "cv32e40p", "umi", "lambdalib", "cva6"),
    *("blackparrot", "opentitan", "finn", "cv32e40s", "lm32", "marocchino", "rocket", "libsv"),
)
"""Corpora in the order in which their files are taken."""
LARGEST = 1_000_000
"""Bytes of the largest file taken: one netlist in every copy would weigh more than all the rest."""
NAME = re.compile(r"[A-Za-z_][\w$]*")
UNIT = re.compile(
    r"^[ \t]*(?:(?:virtual|extern|default)[ \t]+)*(?:macromodule|module|interface|package|program"
    r"|class|primitive|checker)[ \t\n]+(?:automatic[ \t]+|static[ \t]+)?([A-Za-z_]\w*)"
    r"|`define[ \t]+([A-Za-z_]\w*)",
    re.MULTILINE,
)
COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Source:
    """A file of a design. `path` is below the folder of its design; `is_hdl`: it is counted."""

    design: str
    path: str
    file: Path
    is_hdl: bool

    def text(self) -> str:
        """Returns the text; bytes that are no UTF-8 are replaced."""
        return self.file.read_bytes().decode("utf-8", "replace")


@dataclass(frozen=True)
class Designs:
    """The files of all designs, each HDL text once, in the order of DESIGNS and of their paths."""

    sources: tuple[Source, ...]

    @property
    def n_hdl(self) -> int:
        """Returns how many HDL files there are."""
        return sum(source.is_hdl for source in self.sources)

    @cached_property
    def words(self) -> Words:
        """Returns the words of the HDL files."""
        return _words([source for source in self.sources if source.is_hdl])


@dataclass(frozen=True)
class Words:
    """Parts of identifiers (lower case, no digits) and where they stand.

    `designs` counts the designs that have a part, `files` its files; `units` are names of modules,
    packages, classes, macros; `growth` is (K, beta) of Heaps' law, parts = K files^beta.
    """

    designs: Counter[str]
    files: Counter[str]
    units: frozenset[str]
    growth: tuple[float, float]


def read_designs(cache: Path | None = None, names: Sequence[str] = DESIGNS) -> Designs:
    """Returns the files of the designs, which are fetched where they are not there yet.

    Raises:
        HdlgraphError: one cannot be fetched.
    """
    return designs_of({name: materialise(name, cache) for name in names})


def designs_of(folders: dict[str, Path]) -> Designs:
    """Returns the files of the designs in these folders, by name of the design."""
    seen: set[bytes] = set()
    found = []
    for name, root in folders.items():
        for file in sorted(path for path in root.rglob("*") if path.is_file()):
            is_hdl = file.suffix in VERILOG
            wanted = is_hdl or file.suffix.lower() in TEXT
            if not wanted or file.is_symlink() or file.stat().st_size > LARGEST:
                continue
            digest = hashlib.sha256(file.read_bytes()).digest()
            if is_hdl and digest in seen:
                continue
            seen.add(digest)
            found.append(Source(name, file.relative_to(root).as_posix(), file, is_hdl))
    return Designs(tuple(found))


def parts_of(text: str) -> set[str]:
    """Returns the different parts of all names in a text, lower case, without digits."""
    names = set(NAME.findall(text))
    return {part for name in names for part in split_identifier(name) if not part.isdigit()}


def heaps(points: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Returns (K, beta) of Heaps' law, words = K files^beta, by least squares of logarithms.

    Source: Heaps, Information Retrieval: Computational and Theoretical Aspects, 1978.
    """
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - mx) ** 2 for x in xs) or 1.0
    beta = sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True)) / spread
    return math.exp(my - beta * mx), beta


def _words(sources: Sequence[Source]) -> Words:
    designs: dict[str, set[str]] = {}
    files: Counter[str] = Counter()
    units: set[str] = set()
    points, step = [], max(1, len(sources) // 16)
    for number, source in enumerate(sources, 1):
        text = source.text()
        for part in parts_of(text):
            files[part] += 1
            designs.setdefault(part, set()).add(source.design)
        units.update(one or other for one, other in UNIT.findall(COMMENT.sub(r"\1", text)))
        if number % step == 0:
            points.append((number, len(files)))
    # The first quarter is of one design alone, whose words grow otherwise.
    law = heaps(points[len(points) // 4 :] or [(1, 1)])
    held = Counter({part: len(names) for part, names in designs.items()})
    return Words(held, files, frozenset(units), law)
