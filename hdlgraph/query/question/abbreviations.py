"""Explains abbreviations of a question and its context: "X is usually short for Y, which is Z"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable

from hdlgraph.knowledge.abbreviations import EVERYDAY
from hdlgraph.knowledge.dictionary import Dictionary, phrase
from hdlgraph.knowledge.short_forms import ShortForm
from hdlgraph.words import STOP_WORDS, split_identifier, stem

LIMIT = 8  # notes of one question
RIVALS = 3  # meanings of one short form that are told
MAX_CHARS = 200_000  # of the context that is searched

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_$]*")
_ASKED = re.compile(
    r"\b(?:stands?|short|shorthand|acronym|abbreviat\w*|abbreviation|initials?|spelled out"
    r"|spelt out|expand(?:s|ed)?|meaning|means?)\b",
    re.IGNORECASE,
)
_OUTRIGHT = re.compile(
    r"\b(?:stands?|short|shorthand|acronym|abbreviat\w*|initials?|spelled out|spelt out"
    r"|expand(?:s|ed)?)\b",
    re.IGNORECASE,
)
_MEANT = re.compile(
    r"([\w$]+)[\"'`]* (?:means?|meaning)\b|\bmeaning of (?:the )?[\"'`]*([\w$]+)", re.I
)
"""The word whose meaning is asked: "what does APB mean", "the meaning of APB"."""
_ORDINARY = STOP_WORDS | EVERYDAY


def abbreviation_notes(
    question: str, context_text: str, dictionary: Dictionary, limit: int = LIMIT
) -> list[str]:
    """Returns one sentence for each abbreviation that the reader of a context may not know.

    First come those that the question writes, then those whose long form it writes while the
    context has the short one, then those that the context writes in capitals, commonest first.

    Args:
        question: as asked.
        context_text: what the answer is made from.
        dictionary: the short forms in force.
        limit: sentences wanted at most.
    """
    context = _capitals(context_text[:MAX_CHARS])
    present = {part for word in context for part in (word.lower(), *split_identifier(word))}
    present |= _parts(context_text[:MAX_CHARS])
    chosen: dict[str, str] = dict.fromkeys(asked_forms(question), "")
    notes = [_note(short, dictionary, parts=True) for short in chosen]
    bridged = [s for s in spelt_forms(question, dictionary) if s in present and s not in chosen]
    chosen |= dict.fromkeys(bridged, "")
    notes += [_note(short, dictionary) for short in bridged]
    for word, _ in sorted(context.items(), key=lambda item: (-item[1], item[0])):
        if len([note for note in notes if note]) >= limit:
            break
        if word.lower() not in chosen:
            chosen[word.lower()] = ""
            notes.append(_note(word.lower(), dictionary))
    return [note for note in notes if note][:limit]


def meanings(question: str, dictionary: Dictionary, limit: int = LIMIT) -> list[ShortForm]:
    """Returns what the short forms stand for whose meaning a question asks; else nothing.

    A part of an identifier stands for what the repository or the team says alone: elsewhere it may
    mean other things.
    """
    if not asks_meaning(question):
        return []
    text = question
    if not _OUTRIGHT.search(question):
        text = " ".join(word for pair in _MEANT.findall(question) for word in pair)
    whole = {word.lower().strip("_") for word in _WORD.findall(text)}
    whole |= {word.removesuffix("s") for word in whole}
    found = [
        form
        for short in asked_forms(text)
        for form in _forms(short, dictionary, True)
        if short in whole or form.source in ("mined", "team")
    ]
    return found[:limit]


def asks_meaning(question: str) -> bool:
    """Returns whether a question may ask what an abbreviation stands for."""
    return bool(_ASKED.search(question))


def asked_forms(question: str) -> list[str]:
    """Returns what may be a short form in a question, lower case, in order.

    A word in lower case counts unless it is an everyday word; of an identifier also its parts.
    """
    found: dict[str, None] = {}
    for word in _WORD.findall(question):
        whole = word.lower().strip("_")
        singular = whole[:-1] if whole.endswith("s") and word[:-1].isupper() else ""
        shouted = sum(char.isupper() for char in word) > 1
        for part in (whole, singular, *split_identifier(word)):
            if len(part) > 1 and (shouted or part not in _ORDINARY):
                found.setdefault(part)
    return list(found)


def spelt_forms(question: str, dictionary: Dictionary) -> list[str]:
    """Returns the short forms, lower case, of the long forms that a question writes."""
    words = phrase(question)
    table = dictionary.by_phrase
    found: dict[str, None] = {}
    for start in range(len(words)):
        for length in range(min(8, len(words) - start), 0, -1):
            for short in table.get(words[start : start + length], ()):
                found.setdefault(short)
    return list(found)


def expansions(
    question: str, dictionary: Dictionary, frequency: Callable[[str], int]
) -> dict[str, tuple[str, ...]]:
    """Returns terms of files that say what a question's term says, by stemmed term.

    A phrase hangs its short forms on its last word. A short form gets the rarest word of its
    first long form alone: all of its words would outweigh the rest of the question.

    Args:
        question: as asked.
        dictionary: the short forms in force.
        frequency: in how many files a stemmed term stands.
    """
    found: dict[str, dict[str, None]] = {}
    words, table = phrase(question), dictionary.by_phrase
    for start in range(len(words)):
        for end in range(start + 1, min(start + 8, len(words)) + 1):
            for short in table.get(words[start:end], ()):
                found.setdefault(words[end - 1], {}).setdefault(stem(short))
    for short in asked_forms(question):
        for form in dictionary.meanings(short)[:1]:
            present = [term for term in phrase(form.long) if frequency(term)]
            if present:
                rarest = min(present, key=lambda term: (frequency(term), term))
                found.setdefault(stem(short), {}).setdefault(rarest)
    return {term: tuple(others) for term, others in found.items()}


def describe(forms: Iterable[ShortForm]) -> str:
    """Returns "X is usually short for Y, which is Z" for the meanings of one short form."""
    described = list(forms)[:RIVALS]
    meanings = "; or for ".join(
        form.long
        + (f", which is {form.what}" if form.what else "")
        + (f" ({form.place})" if form.source == "mined" else "")
        for form in described
    )
    return f"{described[0].short} is usually short for {meanings}."


def _note(short: str, dictionary: Dictionary, parts: bool = False) -> str:
    forms = _forms(short, dictionary, parts)
    return describe(forms) if forms else ""


def _forms(short: str, dictionary: Dictionary, parts: bool) -> tuple[ShortForm, ...]:
    forms = tuple(dictionary.meanings(short))
    if not forms and parts and (part := dictionary.part(short)):
        forms = (part,)
    trivial = forms and stem(forms[0].long.lower()) == stem(short)
    return () if trivial else forms[:RIVALS]


def _capitals(text: str) -> Counter[str]:
    """Returns how often each word of two to eight capitals stands in a text, alone."""
    return Counter(re.findall(r"(?<![\w`$])[A-Z][A-Z0-9]{1,8}(?![\w])", text))


def _parts(text: str) -> set[str]:
    return {part for word in set(_WORD.findall(text)) for part in split_identifier(word)}
