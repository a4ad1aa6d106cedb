"""How likely a question asks for each kind of relation, by its words, readings and meaning.

A multinomial logistic model over `cue_words.features` and the vector of the question without its
names (what a question is about says little of what it asks for), regularised; fitted together with
`score` by `hdlgraph.eval.fit.relations`, no word of a question being among its features. An index
without vectors, or with those of another model, takes one over the cues alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from hdlgraph.query.index_view import IndexView
from hdlgraph.query.question.vectors import QuestionVectors
from hdlgraph.query.relations.detect import FILE_OF
from hdlgraph.query.relations.joint.cue_words import features
from hdlgraph.query.relations.joint.score import model
from hdlgraph.query.relations.readings.clauses import WH, is_report
from hdlgraph.query.relations.readings.read import Reading
from hdlgraph.query.relations.wording.patterns import has
from hdlgraph.query.trained.query_map import MappedEmbedder

KINDS = ("child", "parent", "drives", "reads", "join", "between", "declared", "imports", "extends",
         "binds", "configured", "tested", "clocked", "state")  # fmt: skip
"""What a question may ask for: what is inside, what holds, drives, reads or joins something, what
stands between two things, and where one is declared, imported, extended, bound, configured, tested,
clocked, or has its states."""

_TELLS = re.compile(
    r"(?:and |so |but )?"
    r"(?:(?:how|why|can|could|explain|compare)\b|when\b(?!.*\b(?:which|what|who|whose|where)\b))",
    re.I,
)
"""Asks how something is done, not what stands in a relation; behind a clause with "when" may stand
a question of any kind."""
_MEANING = re.compile(
    r"\bstands? for\b|\b(?:short|shorthand|acronym|abbreviat\w*|initials?) (?:for|of)\b"
    r"|\b(?:spelled|spelt) out\b|\bmeaning of\b|\bwhat (?:does|do|is|are) .* (?:mean|short)\b",
    re.I,
)
"""Asks what a short form stands for."""
_VALUE = re.compile(
    r"what(?:'s| is| are) the (?:\w+ ){0,2}(?:defaults?|values?|widths?|sizes?|depths?|meanings?"
    r"|purposes?|roles?|latency|format)\b",
    re.IGNORECASE,
)
"""Asks for a property of what it names."""
WORDS, WITH_NAME = 5, 3
"""Words of the shortest question that is looked at, and of one that writes a name behind "who",
"what" or the like; names and keywords alone ask for no relation."""
HIERARCHY = 2
"""The first of KINDS are those of the hierarchy."""


PLAIN_KIND = 0.5
"""Probability of a kind from which even a question for the file of a thing asks for it."""
VECTOR, PATTERN = 4.0, 0.4
"""Factors of the question's vector and of its patterns beside the cues."""


_WRITTEN = re.compile(
    r"[`'\"]?\$?\b(?=\w*(?:[_\d]|[a-z][A-Z]))[A-Za-z_][\w$]*(?:[.:/]+\w+)*[`'\"]?"
)
"""A word written as names of a design are: with _, a digit, or a capital within; a path of them."""
NAME = "X"
"""Stands for such a word where what is asked of it counts alone."""


def without_names(text: str) -> str:
    """Returns a question with NAME in the place of each name."""
    return _WRITTEN.sub(NAME, text)


def meaning(text: str, vectors: QuestionVectors, index: IndexView) -> np.ndarray | None:
    """Returns the vector of a question without its names.

    It is None where another model or a trained map would make it, and where a question asks for no
    relation by its form.
    """
    known = getattr(index.embedder, "name", "") == model()["embedder"]
    if not known or isinstance(index.embedder, MappedEmbedder) or not may_ask(text):
        return None
    return vectors.of(without_names(text))


def kinds(
    text: str, readings: Sequence[Reading], vector: np.ndarray | None = None
) -> tuple[float, ...]:
    """Returns the probability of each of KINDS; what is missing to 1 is that of none of them.

    Args:
        text: the question.
        readings: of it.
        vector: see `meaning`.
    """
    if not may_ask(text) or (vector is None and not (readings and WH.search(text))):
        return (0.0,) * len(KINDS)  # of what no cue speaks for the cues alone know nothing
    chances = _chances("kinds", text, readings, vector)
    return adapted(text, chances[: len(KINDS)].round(6).tolist())


def placed(text: str, readings: Sequence[Reading], vector: np.ndarray | None = None) -> float:
    """Returns how likely a question asks for the file in which its edge is stated, 0 to 1.

    Such is the unit that instantiates, imports or joins something; arguments as of `kinds`.
    """
    return float(_chances("placed", text, readings, vector)[1].round(6))


def _chances(
    name: str, text: str, readings: Sequence[Reading], vector: np.ndarray | None
) -> np.ndarray:
    """Returns the probabilities of a fitted model, which add up to 1."""
    known = model()[name if vector is not None else f"{name} by cues"]
    told = values(text, readings, vector, model()["patterns"])
    scores = np.asarray(known["weights"]) @ told + known["at 0"]
    chances: np.ndarray = np.exp(scores - scores.max())
    return chances / chances.sum()


def values(
    text: str, readings: Sequence[Reading], vector: np.ndarray | None, known: Sequence[str]
) -> np.ndarray:
    """Returns what the model sees of a question, float64 (values,).

    Args:
        text: the question.
        readings: of it.
        vector: see `meaning`.
        known: the patterns that are looked for (see `wording.patterns`).
    """
    parts = [np.asarray(features(text, readings)), PATTERN * np.asarray(has(text, known))]
    if vector is not None:
        parts.append(VECTOR * vector.astype(np.float64))
    return np.concatenate(parts)


def may_ask(text: str) -> bool:
    """Returns whether a question is not one of those that ask for no relation by their form."""
    if _TELLS.match(text) or _VALUE.match(text) or _MEANING.search(text):
        return False
    count = len(text.split())
    short = WITH_NAME <= count < WORDS and WH.search(text) and _WRITTEN.search(text)
    return (count >= WORDS or bool(short)) and not is_report(text)


def adapted(text: str, likely: Sequence[float]) -> tuple[float, ...]:
    """Returns probabilities of KINDS; where a thing's own file is asked, that of a plain one alone.

    Such a question seldom asks for a relation, and never for one of the hierarchy.
    """
    if not FILE_OF.match(text):
        return tuple(likely)
    rest = (one if one >= PLAIN_KIND else 0.0 for one in likely[HIERARCHY:])
    return (*(0.0,) * HIERARCHY, *rest)
