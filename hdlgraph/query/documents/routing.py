"""Estimates from a question, and from what was found, which list is more likely to answer it.

The shares set the order of the two lists and how many passages are shown; what a wrong guess costs
is a look at the second list, as neither is ever left out. That the ranking of files is unsure says
nothing about documents, so it does not count.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from hdlgraph.model.passage import Routing
from hdlgraph.query.documents.view import DocumentsView
from hdlgraph.results import Hit
from hdlgraph.store.documents.records import REGISTER

FILES, PASSAGES = "files", "passages"
KINDS = ("rtl", "doc", "register")
BASE = {"rtl": 0.8, "doc": 0.3, "register": -0.5}
"""Where the shares begin, as logits: this searches designs first of all."""
CUE, CUES = 0.7, 3
"""What a cue adds, and the most cues of one kind that count."""
NAMED = 1.5
"""What it adds that the question writes the name of a register, field, unit or file."""
FOUND = 1.0
"""What it adds to registers that all of the first passages are some."""
AMONG = 5
"""First passages that are looked at for that."""
ORDER, UNNAMED = (0.6, 0.25, 0.15), 0.05
"""The shares of the kinds that a model names, in order, and of one that it does not."""
MODEL = 0.7
"""What the model counts against the cues."""
_CUES = {
    "rtl": re.compile(
        r"\b(?:rtl|(?:system)?verilog|modules?|files?|source|code|implement\w*|instan\w+|signals?"
        r"|wires?|ports?|fsm|state machines?|flip-?flops?|always_\w+|logic|datapath|mux\w*|driv\w+"
        r"|assert(?:s|ed)|comput\w+|generat\w+|decod\w+|arbitrat\w+|where)\b",
        re.IGNORECASE,
    ),
    "doc": re.compile(
        r"\b(?:manuals?|document\w*|data ?sheets?|spec(?:s|ification\w*)?|guides?|descri\w+"
        r"|explain\w*|according to|says?|promis\w+|recommend\w*|guarante\w+|procedures?|steps?"
        r"|programm?ers?|programming|software|firmware|drivers?|initiali[sz]\w*|configur\w+"
        r"|support\w*|requirements?|allowed|purpose|why|overview|chapters?|sections?"
        r"|how (?:do|can|should|must|may) (?:i|we|you|one))\b",
        re.IGNORECASE,
    ),
    "register": re.compile(
        r"\b(?:registers?|fields?|bits?|csrs?|offset|reset value|read-only|write-only|r?w1[cs]"
        r"|address of|meaning of|software (?:can |may )?(?:reads?|writes?|sets?|clears?))\b",
        re.IGNORECASE,
    ),
}
_NAME = re.compile(r"\b[A-Za-z]\w*(?:\.[A-Za-z]\w*)?\b")


def route(
    view: DocumentsView,
    question: str,
    found: Sequence[tuple[int, float]] = (),
    hits: Sequence[Hit] = (),
) -> Routing:
    """Returns the shares of the lists for a question, by cues.

    Args:
        view: all passages.
        question: free text.
        found: numbers and scores of the best passages.
        hits: the best files.
    """
    logits, why = dict(BASE), []
    for kind, pattern in _CUES.items():
        cues = list(dict.fromkeys(one.lower() for one in pattern.findall(question)))[:CUES]
        logits[kind] += CUE * len(cues)
        why += [f"{kind}: {cue}" for cue in cues]
    if named := named_registers(view, question):
        logits["register"] += NAMED
        why.append(f"register: {named[0]} is one")
    if any(one.kind == "identifier" for hit in hits[:1] for one in hit.evidence):
        logits["rtl"] += NAMED
        why.append(f"rtl: names what {hits[0].path} declares")
    first = found[:AMONG]
    if first:
        kinds = [view.passages[number].kind == REGISTER for number, _ in first]
        logits["register"] += FOUND * sum(kinds) / len(kinds)
    power = {kind: math.exp(logit) for kind, logit in logits.items()}
    return shared(power, "cues", why=tuple(why))


def shared(
    power: Mapping[str, float], by: str, domains: tuple[str, ...] = (), why: tuple[str, ...] = ()
) -> Routing:
    """Returns a routing whose shares are as some numbers above 0 by kind."""
    total = sum(power[kind] for kind in KINDS)
    shares = {kind: round(power[kind] / total, 3) for kind in KINDS}
    first = FILES if shares["rtl"] >= shares["doc"] + shares["register"] else PASSAGES
    return Routing(first=first, by=by, domains=domains, why=why, **shares)


def routing_of(kinds: Sequence[str], domains: tuple[str, ...] = ()) -> Routing:
    """Returns the routing for the kinds that a model names, the most useful first."""
    power = dict.fromkeys(KINDS, UNNAMED)
    power |= {kind: weight for weight, kind in zip(ORDER, kinds, strict=False)}
    return shared(power, "model", domains, (f"model: {', '.join(kinds)}",))


def blended(cues: Routing, model: Routing) -> Routing:
    """Returns a routing that is mostly a model's: a wrong one cannot hide what the cues say."""
    power = {
        kind: MODEL * getattr(model, kind) + (1 - MODEL) * getattr(cues, kind) for kind in KINDS
    }
    return shared(power, "model", model.domains, (*model.why, *cues.why))


def named_registers(view: DocumentsView, question: str) -> list[str]:
    """Returns the registers and fields that a question names, as it writes them.

    Names are taken as they are written, BLOCK.NAME in any case: many are words of English.
    """
    names = view.register_names
    words = dict.fromkeys(_NAME.findall(question))
    return [w for w in words if w in names or ("." in w and w.upper() in names)]


def asks_register(view: DocumentsView, question: str) -> bool:
    """Returns whether a question names a register or field, or has a word of registers."""
    return bool(_CUES["register"].search(question) or named_registers(view, question))


def passages_wanted(routing: Routing, k: int) -> int:
    """Returns how many passages are shown where nobody named a number: by their share.

    Args:
        routing: the shares.
        k: as set, which an even share gives.
    """
    return max(math.ceil(0.6 * k), min(2 * k, round(2 * k * routing.documents)))
