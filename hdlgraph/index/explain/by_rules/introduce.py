"""Chooses the sentence that says best what a file does, and what instantiates it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hdlgraph.index.explain.by_rules.evidence.repeats import main_unit, stem_of
from hdlgraph.index.explain.by_rules.people.predicates import (
    is_sentence,
    leans,
    shortened,
    unfinished,
)
from hdlgraph.index.explain.by_rules.people.whole import is_whole, last_part
from hdlgraph.index.explain.by_rules.phrases import Vocabulary, clip, finish
from hdlgraph.index.explain.by_rules.prose import sentences
from hdlgraph.index.explain.by_rules.sentences import as_written
from hdlgraph.index.explain.neighbourhood import Neighbour, Neighbourhood
from hdlgraph.model import FileRecord

LOOKED_AT = 8
"""Sentences of a head of which one is chosen."""
FIRST, LATER = 0.45, 0.12
"""What the first sentence has ahead of the others, and what each one before a sentence costs it."""
_WEAK = re.compile(
    r"(?:\d+[.)]|todo|fixme|xxx|hack|note|notes|nb|warning|caution|important|see|ref|usage|example|e\.g"
    r"|for (?:more|details)|based on|derived from|adapted from|inspired by|taken from|this is"
    r" (?:a )?(?:generated|automatic)|assum|default|param|macro|define|includes?\b|import"
    r"|constraint"
    r"|limitation|known|must|do not|don't|it is|you |please|make sure|if |when |however|but |also "
    r"|and |or |so |then |then,|therefore|legal|scope|one |two |three |all |both |here|there)",
    re.I,
)
_DOES = re.compile(
    r"\b(?:implements?|converts?|provides?|contains?|computes?|generates?|handles?|controls?"
    r"|connects?|decodes?|encodes?|checks?|drives?|receives?|sends?|transmits?|stores?|holds?"
    r"|module|block|unit|interface|controller|adapter|wrapper|bridge|engine|converter|package"
    r"|testbench|monitor|buffer|arbiter|memory|register|pipeline|stage|cache|queue|fifo|ram|rom|port"
    r"|definitions?|top[- ]level|model|generator|decoder|encoder|logic|core|proves?)\b",
    re.I,
)
_ADVICE = re.compile(
    r"\b(?:should|must|recommends?|whatever|careful|beware|unfortunately|we|you|your|i|untested)\b"
)
NOTE_WORDS = 24
"""Words of the comment on an instance that are used to describe what is instantiated."""
WEAK = -0.15
"""Score of a sentence up to which it does not say what a file does."""
_CHANGED = re.compile(
    r"\b(?:renamed|fixed (?:an?|the|bugs?|issues?)|changed|removed|no longer|was added|replaced)\b"
)
_EMPTY = frozenset(
    """a an the this that of our for in and to is here instance instances instantiate instantiates
    instantiated instantiation module modules unit block device design under test dut uut top level
    component inst submodule sub register registers exactly as shipped uut wrapper istance
    instantiations instances duts""".split()
)


def best_first(texts: Sequence[str], record: FileRecord) -> list[str]:
    """Returns the sentences with the one first that says best what the file does."""
    if len(texts) < 2:
        return list(texts)
    names = _names(record)
    scores = [_score(text, names) - LATER * at for at, text in enumerate(texts[:LOOKED_AT])]
    scores[0] += FIRST
    best = scores.index(max(scores))
    return [texts[best], *texts[:best], *texts[best + 1 :]]


def is_uninformative(text: str, record: FileRecord) -> bool:
    """Returns whether a sentence gives advice, notes or history rather than what a file does."""
    return _score(text, _names(record)) <= WEAK


def says_what(text: str, record: FileRecord) -> bool:
    """Returns whether a sentence has words that say what a file is or does."""
    return _score(text, _names(record)) > 0


def _names(record: FileRecord) -> set[str]:
    main = main_unit(record)
    return {stem_of(record.path).lower(), main.name.lower() if main else ""} - {""}


def _score(text: str, names: set[str]) -> float:
    low = text.lower()
    words = low.split()
    parts = {part for name in names for part in name.split("_") if len(part) > 2}
    score = 0.0 if len(words) > 2 else -0.3
    score -= 0.4 if len(words) > 45 else 0.0
    score -= 0.8 if _WEAK.match(low) else 0.0
    score -= 0.2 if len(words) > 25 else 0.0
    score -= 0.5 if _ADVICE.search(low) else 0.0
    score -= 0.6 if _CHANGED.search(low) else 0.0
    score -= 0.5 if text.endswith((":", "?")) or "http" in low else 0.0
    score -= 0.3 if text[:1].islower() and words[0].strip(".,:") not in names else 0.0
    score -= 0.4 if sum(char in "=[]{}|<>;" for char in text) > 2 else 0.0
    score += 0.3 if _DOES.search(low) else 0.0
    score += 0.2 if any(part in low for part in parts) else 0.0
    return score


def instance_note(neighbour: Neighbour) -> str:
    """Returns the comment on an instance, "" where it says no more than that it is one.

    "" too for a fragment, for words that lean on what is not told, and for a heading that may be
    of something else.
    """
    note = next(iter(sentences(last_part(neighbour.comment))), "")
    if not note or unfinished(note) or leans(note) or not is_whole(note, neighbour.comment):
        return ""
    if neighbour.shared and not (note.endswith(".") or is_sentence(note)):
        return ""
    known = f"{neighbour.name} {neighbour.unit} {neighbour.parent}".lower()
    words = re.findall(r"[a-z]{2,}", note.lower())
    if _WEAK.match(note):
        return ""
    return note if any(word not in _EMPTY and word not in known for word in words) else ""


def used_in(context: Neighbourhood) -> tuple[str, bool]:
    """Returns (who instantiates a file, under which name and comment; whether a comment tells)."""
    noted = (
        (parent, note)
        for parent in context.parents
        if (note := shortened(instance_note(parent), NOTE_WORDS))
    )
    found = next(noted, None)
    parent, note = found or (context.parents[0] if context.parents else None, "")
    if parent is None:
        return "", False
    text = f"Instantiated in {as_written(parent.parent)} as {parent.name}"
    return finish(f"{text}: {note.rstrip('.')}" if note else text), bool(note)


def used_in_words(context: Neighbourhood, words: Vocabulary, bare: bool) -> str:
    """Returns the same for a search; without a comment only where nothing else is known."""
    for parent in context.parents:
        note = next(iter(sentences(parent.comment)), "")
        if note:
            return finish(f"In {words.words(parent.parent)}: {clip(note, 24).rstrip('.')}")
    if bare and context.parents:
        parent = context.parents[0]
        name = words.instance(parent.name)
        return finish(f"Used{f' as {name}' if name else ''} in {words.words(parent.parent)}")
    return ""
