"""How likely a question asks for each kind of relation, by its words and its readings.

A multinomial logistic model over `cue_words.features`, regularised; fitted together with the
weights of `score` by `hdlgraph.eval.fit.relations`, no word of a question being among its features.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
import numpy as np

from hdlgraph.query.relations.detect import FILE_OF
from hdlgraph.query.relations.joint.cue_words import features
from hdlgraph.query.relations.readings.clauses import WH
from hdlgraph.query.relations.readings.read import Reading

KINDS = ("child", "parent", "drives", "reads", "join", "declared", "imports", "extends", "binds",
         "configured", "tested", "clocked", "state")  # fmt: skip
"""What a question may ask for: what is inside, what holds, drives, reads or joins something, and
where one is declared, imported, extended, bound, configured, tested, clocked, or has its states."""

_TELLS = re.compile(r"(?:and |so |but )?(?:how|why|when|can|could|explain|compare)\b", re.I)
"""Asks how something is done, not what stands in a relation."""
_VALUE = re.compile(
    r"what(?:'s| is| are) the (?:\w+ ){0,2}(?:defaults?|values?|widths?|sizes?|depths?|meanings?"
    r"|purposes?|roles?|latency|format)\b",
    re.IGNORECASE,
)
"""Asks for a property of what it names."""
WORDS = 5
"""Words of the shortest question that is looked at; names and keywords ask for no relation."""
HIERARCHY = 2
"""The first of KINDS are those of the hierarchy."""


@cache
def model() -> dict[str, Any]:
    """Returns the fitted numbers: `kinds` and `kinds_at_0` of the classes, `weights` of `score`."""
    text = files(__package__).joinpath("model.json").read_bytes()
    found: dict[str, Any] = msgspec.json.decode(text)
    return found


def kinds(text: str, readings: Sequence[Reading]) -> tuple[float, ...]:
    """Returns the probability of each of KINDS; what is missing to 1 is that of none of them."""
    # Of what no cue speaks for the model knows nothing.
    asks = readings and WH.search(text) is not None and len(text.split()) >= WORDS
    if not asks or _TELLS.match(text) or _VALUE.match(text):
        return (0.0,) * len(KINDS)
    known = model()
    values = np.asarray(known["kinds"]) @ features(text, readings) + known["kinds_at_0"]
    chances = np.exp(values - values.max())
    chances /= chances.sum()
    found: list[float] = chances[: len(KINDS)].tolist()
    if FILE_OF.match(text):  # asks for the file of what it names, not for what is around that
        found[:HIERARCHY] = [0.0] * HIERARCHY
    return tuple(found)
