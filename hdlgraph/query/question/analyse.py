"""A question's content: weighted term groups, exact identifiers, and what kind of file it wants."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hdlgraph.knowledge.thesaurus import paraphrases
from hdlgraph.model.kinds import UNIT_KINDS
from hdlgraph.query.lexicon import Lexicon, TermGroup
from hdlgraph.query.question.contractions import contractions, refuted
from hdlgraph.query.question.spelling import misspelt, respelt
from hdlgraph.words import content_stems, normalise, question_terms, stem, words

MAX_CHARS = 4000  # of a question; the rest adds noise, not topic
MAX_TERMS = 64
_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*(?:\.[A-Za-z0-9_$]+)*")
_CONVERTER = re.compile(r"[a-z]{2}[a-z0-9]*2[a-z]{2}[a-z0-9]*")
"""A name such as axi2apb: from one thing to another (not i2c or b2b)."""
_SUFFIXES = (".sv", ".svh", ".v", ".vh")
_CLAIM = r"(?:assert(?:ed|s)?|checked|checks?) that"
"""A signal is asserted and a parity checked; that something holds is asserted by verification."""
_VERIFICATION = re.compile(
    r"\b(test ?bench(es)?|bench(es)?|tested|uvm|verif\w*|simulat\w*|sims?|scoreboard|"
    r"(?<!built-in )(?<!self )(?<!self-)tests?(?![ -](?:access|chip|clock|data|enable|interface|"
    r"key|logic|mode|pads?|patterns?|pins?|points?|ports?|registers?|signals?|structure)\b)|"
    r"coverage|covergroup|stimul\w*|dut|vseq|cosim\w*|"
    rf"{_CLAIM}|"
    r"formal(ly)?|sva|assertions?|assumptions?|prove[ds]?|proofs?|propert(y|ies)|fpv)\b",
    re.IGNORECASE,
)
"""Words of verification; hardware has a test mode, a test access port and a built-in self test."""
_FORMAL = re.compile(
    rf"\b({_CLAIM}|formal(ly)?|sva|assertions?|assumptions?|prove[ds]?|proofs?|fpv)\b",
    re.IGNORECASE,
)
_PARENT = re.compile(
    r"\b(instantiat\w*|wires? up|wired|wraps?|wrapped|hook(s|ed) up|glue[sd]?|stitch\w*|"
    r"connects?|connected|integrat\w*|sits? (?:above|around))\b",
    re.IGNORECASE,
)
_INSTANTIATES = re.compile(
    r"\b(?:what|who|which)\b[^,.;?]{0,40}?\binstantiat\w*|\binstantiated\b|\bparents? of\b",
    re.IGNORECASE,
)
_RELATION_TERMS = frozenset(stem(w) for w in ("instantiates", "instantiated", "instance", "parent"))


@dataclass(frozen=True, slots=True)
class Question:
    """The content of a question.

    `groups`: content terms with their expansions; `identifiers`: words written like identifiers
    or file names; `verification`, `formal`: it is about a testbench or a proof; `parent`: it
    speaks of wiring, so a file that instantiates what it names may be meant; `instantiates`: it
    asks for that file outright. `respelt` are the names that it misspells, each with the one of the
    index that it was searched as.
    """

    text: str
    groups: tuple[TermGroup, ...]
    identifiers: tuple[str, ...]
    verification: bool
    formal: bool
    parent: bool
    instantiates: bool
    respelt: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Expansion:
    """Weights of a term's expansions relative to the term itself."""

    mined: float = 0.3
    abbreviation: float = 0.3
    related: float = 0.2
    team: float = 1.0


def analyse(text: str, lexicon: Lexicon, expansion: Expansion = Expansion()) -> Question:
    """Returns the analysed question; only its first MAX_CHARS characters count."""
    text = searched_text(text)
    names = misspelt(text, lexicon)
    text = respelt(text, names)
    instantiates = bool(_INSTANTIATES.search(text))
    terms = question_terms(text)[:MAX_TERMS]
    if instantiates:
        terms = [term for term in terms if term not in _RELATION_TERMS]
    phrases = contractions(text, lexicon.projects, lexicon.defined)
    others = _related(text, terms, lexicon)
    team = lexicon.team.terms(text) if lexicon.team else {}
    offered = (lexicon.mined.get(term, ()) for term in terms)
    lexicon.know([*terms, *(stem(word) for found in offered for word, _ in found)])
    many = (word for found in (team, phrases, others) for own in found.values() for word in own)
    lexicon.know(map(stem, many))
    groups = [
        _group(
            term,
            [
                *((word, expansion.team) for word in team.get(term, ())),
                *((word, expansion.mined) for word, _ in lexicon.mined.get(term, ())),
                *((word, expansion.abbreviation) for word in phrases.get(term, ())),
                *((word, expansion.related) for word in others.get(term, ())),
            ],
            lexicon,
        )
        for term in terms
    ]
    return Question(
        text=lexicon.team.spelt_out(text) if lexicon.team else text,
        groups=tuple(groups),
        identifiers=tuple(identifiers(text)) or _unit_alone(text, lexicon),
        verification=about_verification(text),
        formal=bool(_FORMAL.search(text)),
        parent=bool(_PARENT.search(text)),
        instantiates=instantiates,
        respelt=tuple(names.items()),
    )


def searched_text(text: str) -> str:
    """Returns what of a question is searched, as its words and vectors are made of."""
    return normalise(text[:MAX_CHARS])


def about_verification(text: str) -> bool:
    """Returns whether a question asks for tests, simulation or proofs rather than for hardware."""
    return bool(_VERIFICATION.search(text))


def _unit_alone(text: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Returns the one word of a question where a unit is called so: nothing else is meant."""
    found = words(text)
    places = lexicon.places(found[0].lower()) if len(found) == 1 else ()
    return tuple(found) if any(place[2] in UNIT_KINDS for place in places) else ()


def identifiers(text: str) -> list[str]:
    """Returns the words written like identifiers or file names, in order, once each.

    Only `_`, a file suffix and a 2 between two names (axi2apb) count: a product name such as CVA6
    or BlackParrot names a scope, not the one file of that name.
    """
    seen: dict[str, None] = {}
    for word in _IDENTIFIER.findall(text):
        joined = "_" in word.strip("_") or _CONVERTER.fullmatch(word)
        if joined or word.lower().endswith(_SUFFIXES):
            seen.setdefault(word)
    return list(seen)


def _related(text: str, terms: list[str], lexicon: Lexicon) -> dict[str, list[str]]:
    """Returns what RTL says instead of each term, less what the question says itself.

    A short form that means something else in this repository is left out.
    """
    found = paraphrases(content_stems(text), lexicon.projects)
    dropped = {*terms, *refuted(lexicon.projects, lexicon.defined)}
    return {word: [t for t in words if t not in dropped] for word, words in found.items()}


def _group(term: str, offers: Sequence[tuple[str, float]], lexicon: Lexicon) -> TermGroup:
    """Returns a term with the (word, weight) offered for it that files have."""
    members = {term: 1.0}
    own = lexicon.idf(lexicon.document_frequency(term))
    for other, weight in offers:
        other = stem(other)
        df = lexicon.document_frequency(other)
        if weight and df and other not in members:
            # A common abbreviation must not outweigh a rare word: scale by the idf ratio.
            members[other] = round(weight * min(1.0, lexicon.idf(df) / max(own, 0.1)), 4)
    return TermGroup(tuple(members.items()))
