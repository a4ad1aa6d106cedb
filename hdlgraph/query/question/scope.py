"""Folders that a question names, in which the answer is looked for.

A first-level folder with a name of its own (a repository of several cores: `cva6/`, `ibex/`) is
where the answer lies most often; 148 of 148 questions of two sets that named one had it there. Its
files are raised by NAMED, with those of the folders that have its name as a word of theirs
(`intel/`, `intel_alm/`), as the word alone does not tell which. Only a question that places its
answer ("in the folder intel", "under intel/") has all other files behind. Any other folder's word
(`axi`, `fpga`) is as often a topic, so it only counts a little.
"""

from __future__ import annotations

import re

import numpy as np

from hdlgraph.knowledge.thesaurus import mentions
from hdlgraph.query.directories import USUAL_DIRECTORIES
from hdlgraph.query.lexicon import Lexicon

MOST = 0.6
"""Share of all files from which a first-level folder is the repository rather than a part."""
NAMED = 2.0
"""Added to the scores of the files below a named folder; those of first files lie within some 3."""
RARE = 3
"""Lines of the general tables that may have a product's name; `uart` or `aes` have far more."""
_WORD = re.compile(r"[a-z0-9_]+(?:-[a-z0-9_]+)*")
_PART = re.compile(r"[a-z0-9]+")
_NAME = r"([a-z0-9_][a-z0-9_.-]*)"
_PLACED = re.compile(
    rf"\b(?:folder|directory|subfolder)s?\s+[`'\"]?{_NAME}\b"
    rf"|\b(?:in|under|below|inside|within|from)\s+(?:the\s+)?[`'\"]?(?:\./)?{_NAME}"
    r"(?:/|[`'\"]?\s+(?:folder|directory|subfolder)\b)"
)
"""How a question says in which folder its answer lies."""
_WORDS = USUAL_DIRECTORIES | frozenset(
    """source sources design designs ips library shared external third_party soc chip fpga asic
        board boards syn synth synthesis lint scripts tools sw software firmware boot rom
        bus mem tbs testbench testbenches verif verification sims simulation uvm model
        models example examples demo target targets build generated gen interface
        interfaces package packages peripheral peripherals primitives prim crypto
        regression regressions app apps project projects misc""".split()
)
"""Names of folders that are words of any design: a question means the thing."""


def question_words(text: str) -> set[str]:
    """Returns the lower-case words of a question, without the possessive s."""
    found = _WORD.findall(text.lower())
    return set(found) | {part for word in found for part in word.split("-")}


def named_parts(lexicon: Lexicon, text: str) -> dict[str, np.ndarray]:
    """Returns the first-level folders that a question means -> the files below, sorted.

    With a folder come those that have its name as a word of theirs, unless the question says that
    the answer lies in that one.
    """
    placed = placed_parts(lexicon, text)
    if placed:
        return placed
    asked = question_words(text) - _WORDS
    known = mentions(lexicon.projects)
    folders = _distinct(lexicon)
    named = {name for name in folders if name in asked and known[name] <= RARE}
    written = f" {' '.join(_PART.findall(text.lower()))} "
    return {
        name: members
        for name, members in folders.items()
        if name in named
        or (len(words := _PART.findall(name)) > 1 and named.intersection(words))
        or (len(words) > 1 and f" {' '.join(words)} " in written)
    }


def placed_parts(lexicon: Lexicon, text: str) -> dict[str, np.ndarray]:
    """Returns the first-level folders in which a question wants its answer, by their names."""
    found = {one[1] or one[2] for one in _PLACED.finditer(text.lower())}
    return {name: members for name, members in lexicon.parts.items() if name in found}


def _distinct(lexicon: Lexicon) -> dict[str, np.ndarray]:
    """Returns the first-level folders without one that holds most of the files."""
    most = MOST * lexicon.n_files
    return {name: files for name, files in lexicon.parts.items() if len(files) < most}


def scope_match(lexicon: Lexicon, text: str) -> np.ndarray:
    """Returns 1 for files below a directory that a question names, else 0, float32 (files,)."""
    out = np.zeros(lexicon.n_files, np.float32)
    for directory in sorted(question_words(text)):
        if directory in lexicon.directories:
            out[lexicon.directories[directory]] = 1.0
    return out


def named_first(lexicon: Lexicon, text: str, score: np.ndarray, within: np.ndarray) -> np.ndarray:
    """Returns the scores with the files of named folders raised, or first if a question says so."""
    return inside_first(score, within, np.inf if placed_parts(lexicon, text) else NAMED)


def inside_first(score: np.ndarray, within: np.ndarray, raised: float = np.inf) -> np.ndarray:
    """Returns the scores with all other files below the files `within`, by `raised` at most."""
    others = np.ones(len(score), bool)
    others[within] = False
    if not others.any():
        return score
    above = float(score[others].max()) - float(score[within].min())
    return score - min(max(above, 0.0) + 1e-3, raised) * others
