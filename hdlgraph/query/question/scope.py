"""Folders that a question names, in which the answer is looked for.

A first-level folder with a name of its own (a repository of several cores: `cva6/`, `ibex/`) is
where the answer lies; 148 of 148 questions of two sets that named one had it there. Any other
folder's word (`axi`, `fpga`) is as often a topic, so it only counts a little.
"""

from __future__ import annotations

import re

import numpy as np

from hdlgraph.knowledge.thesaurus import mentions
from hdlgraph.query.directories import USUAL_DIRECTORIES
from hdlgraph.query.lexicon import Lexicon

MOST = 0.6
"""Share of all files from which a first-level folder is the repository rather than a part."""
RARE = 3
"""Lines of the general tables that may have a product's name; `uart` or `aes` have far more."""
_WORD = re.compile(r"[a-z0-9_]+(?:-[a-z0-9_]+)*")
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
    """Returns the first-level folders that a question names -> the files below, sorted."""
    asked = question_words(text) - _WORDS
    known = mentions(lexicon.projects)
    return {
        name: members
        for name, members in lexicon.parts.items()
        if name in asked and known[name] <= RARE and len(members) < MOST * lexicon.n_files
    }


def scope_match(lexicon: Lexicon, text: str) -> np.ndarray:
    """Returns 1 for files below a directory that a question names, else 0, float32 (files,)."""
    out = np.zeros(lexicon.n_files, np.float32)
    for directory in sorted(question_words(text)):
        if directory in lexicon.directories:
            out[lexicon.directories[directory]] = 1.0
    return out


def inside_first(score: np.ndarray, within: np.ndarray) -> np.ndarray:
    """Returns the scores with every other file below the files `within`."""
    others = np.ones(len(score), bool)
    others[within] = False
    if not others.any():
        return score
    above = float(score[others].max()) - float(score[within].min())
    return score - (max(above, 0.0) + 1e-3) * others
