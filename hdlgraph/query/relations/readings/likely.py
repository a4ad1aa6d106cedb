"""How likely a question with a cue asks for a relation, by how it is built."""

from __future__ import annotations

import math
import re

from hdlgraph.query.relations.sought import Sought

_WORD = re.compile(r"[\w$-]+")
_STORY = re.compile(
    r"\b(?:when|while|if|until|after|before|because|without|once|unless|so|but|then|although|"
    r"must|should|would|can|could|cannot|never|already|still)\b", re.I,
)  # fmt: skip
_UNIT = re.compile(
    r"\b(?:modules?|units?|blocks?|cells?|files?|submodules?|peripherals?|piece|instance|class|"
    r"package|sequence|wrapper|primitive|component|child|children|parents?|users?)\b", re.I,
)  # fmt: skip
_WH = ("which", "what", "who", "where")
WEIGHTS = (
    5.72, 0.09, -2.45, -0.51, -1.02, -0.56, -1.39, -0.51, -0.62, 1.12,
    -0.55, -0.67, -1.62, 0.91, -0.98, -1.22, -1.37, -0.38, 0.76, 0.73,
    1.10, 0.45, -0.10,
)  # fmt: skip
"""Weights of a logistic model over the features, regularised, fitted on questions for relations and
on others; no word of a question is among the features."""
GROUPS: tuple[frozenset[Sought], ...] = (
    frozenset((Sought.DRIVERS, Sought.READERS)),
    frozenset((Sought.UPSTREAM, Sought.DOWNSTREAM)),
    frozenset((Sought.PARENTS,)),
    frozenset((Sought.CHILDREN,)),
    frozenset((Sought.HOLDERS,)),
    frozenset((Sought.MIDDLE, Sought.BETWEEN)),
    frozenset((Sought.TESTS,)),
    frozenset((Sought.BOUND, Sought.BIND_TARGETS, Sought.BASES, Sought.DERIVED,
               Sought.IMPORTERS, Sought.IMPORTED)),
    frozenset((Sought.CONFIGURED, Sought.SETTINGS, Sought.DEFINITION)),
)  # fmt: skip


def features(
    text: str, sought: Sought, name: str, kind: str, sure: float, named: bool
) -> list[float]:
    """Returns what tells questions for relations from others: counts and kinds of their words."""
    words = _WORD.findall(text)
    lower = [word.lower() for word in words]
    own = [float(sought in group) for group in GROUPS]
    return [
        1.0,
        float(named),
        min(len(words), 40) / 10,
        min(text.count(","), 4),
        float(len(re.findall(r"[.;?!] ", text))),
        min(lower.count("and") + lower.count("or"), 4),
        min(len(_STORY.findall(text)), 4),
        min(len(_WORD.findall(name)), 16) / 5,
        min(len(_WORD.findall(kind)), 16) / 5,
        float(_UNIT.search(text) is not None),
        float(not any(word in _WH for word in lower)),
        float(bool(lower) and lower[0] in _WH),
        float("where" in lower),
        sure,
        *own,
    ]


def chance(values: list[float], weights: tuple[float, ...] = WEIGHTS) -> float:
    """Returns the probability of a logistic model."""
    return 1 / (1 + math.exp(-sum(v * w for v, w in zip(values, weights, strict=True))))
