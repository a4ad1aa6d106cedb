"""Answers where the message that a question quotes is printed: its line, condition and severity."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from hdlgraph.parsers.text.source import without_comments
from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.answer.passages.guards import guards
from hdlgraph.results import SearchResult

FILES = 400  # that are read for a word
MOST = 12  # lines that are told
LEAST = 3  # words of a message that say which one is meant; 2 where the question says it is one
NEAR = 0.75  # share of a message's words that a question must have in their order
CALL = 6  # lines before a string in which the call that prints it may begin
_PRINTS = r"(?:raise|print|report|emit|issue|display|give|throw|log|say|show|output)"
_PRINTED = r"(?:raised|printed|reported|emitted|issued|displayed|given|thrown|logged|shown|output)"
_KIND = r"(?:error|fatal|warning|info|uvm_\w+|log|debug|trace)"
_QUOTED = re.compile(
    r"\"([^\"]{4,})\"|`([^`]{4,})`|\u201c([^\u201d]{4,})\u201d|(?<!\w)'([^']{4,})'(?!\w)"
)
_ACTIVE = re.compile(
    rf"\b(?:who|which|what|where)\b.*?\b{_PRINTS}s?(?: out)?(?: the)?(?: {_KIND})?(?: message)?:? "
    r"(?P<text>.+)",
    re.I,
)
_PASSIVE = re.compile(
    r"\b(?:where|when|who|which|what|why|how)\b.*?\b(?:is|are|was|gets?|does|do) (?:the )?"
    rf"(?:{_KIND} )?(?:message:? )?(?P<text>.+?)(?: {_KIND})?(?: messages?)? {_PRINTED}\b",
    re.I,
)
_IS_ONE = re.compile(rf"\b(?:{_KIND}s? )?messages?\b|\bprint(?:s|ed)?\b", re.I)
_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)')
_HOLE = re.compile(r"%[-+ ]?\d*(?:\.\d+)?[a-zA-Z]|\\[ntrf]")
_SAYS = re.compile(r"\$[a-z]\w*|`\w+|\b(?:uvm|vmm|ovm)_\w+|\b[A-Za-z_]\w*(?=\s*\()")
_PLUS = re.compile(r"\$(?:test|value)\$plusargs")
_SEVERITIES = (
    ("fatal", re.compile("fatal", re.I)),
    ("error", re.compile("error", re.I)),
    ("warning", re.compile("warn", re.I)),
    ("info", re.compile("info", re.I)),
    ("of a check that fails", re.compile("assert|check|assume|cover", re.I)),
    ("none, plain output", re.compile(r"display|write|strobe|monitor|print", re.I)),
)


class _Place(NamedTuple):
    """A line that prints a message."""

    path: str
    line: int


def add_messages(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the lines that print the message which a question quotes; False where none does."""
    moved = {*result.stale.changed, *result.stale.removed}
    places: list[_Place] = []
    for words in _phrases(question):
        places = [one for one in _holding(page, words, queries) if one.path not in moved]
        if places:
            break
    places = places or [one for one in _near(page, question, result) if one.path not in moved]
    if not places:
        return False
    count = len(places)
    page.add(f"That message is printed on {count} line{'s' * (count != 1)}:")
    for one in places[:MOST]:
        _add_place(page, one)
    if count > MOST:
        page.add(f"- and {count - MOST} more: `hdlgraph search 'THE MESSAGE'` finds their files")
    page.add()
    return True


def _phrases(question: str) -> Iterator[list[str]]:
    """Yields what a question may quote of a message as words, the surest first."""
    is_one = _IS_ONE.search(question) is not None
    for groups in _QUOTED.findall(question):
        words = re.findall(r"\w+", "".join(groups))
        if len(words) >= (LEAST - is_one):
            yield words
    for pattern in (_PASSIVE, _ACTIVE):
        asked = pattern.search(question)
        if asked is not None and is_one:
            words = re.findall(r"\w+", asked["text"])
            if (
                len(words) >= LEAST
                or (len(words) == LEAST - 1 and pattern is _PASSIVE)
                or any("_" in word for word in words)
            ):
                yield words


def _holding(page: FactPage, words: list[str], queries: Queries) -> Iterator[_Place]:
    """Yields the lines with a string that has these words one after the other."""
    rare = max((one for one in words if len(one) > 3), key=lambda w: ("_" in w, len(w)), default="")
    if not rare:
        return
    pattern = re.compile(rf"\b{_between(words)}\b", re.I)
    for path in queries.holding(rare)[:FILES]:
        text = page.source(path).text
        if pattern.search(text) is None:  # cheap, before comments are taken out
            continue
        for number, line in enumerate(without_comments(text).split("\n"), 1):
            strings = () if _PLUS.search(line) else _STRING.findall(line)
            if any(pattern.search(one) for one in strings):
                yield _Place(path, number)


def _between(words: list[str]) -> str:
    """Returns a pattern of words in their order, with values or signs between them."""
    return r"\W+(?:%\S+\W+)?".join(map(re.escape, words))


def _near(page: FactPage, question: str, result: SearchResult) -> Iterator[_Place]:
    """Yields the lines by which search found a message of which the question has nearly all."""
    own = [word.lower() for word in re.findall(r"\w+", question)]
    for hit in result.hits:
        for one in hit.evidence:
            if one.kind != "printed" or not 0 < one.line <= len(page.source(one.path).lines):
                continue
            for text in _STRING.findall(page.source(one.path).lines[one.line - 1]):
                words = [word.lower() for word in re.findall(r"\w+", _HOLE.sub(" ", text))]
                if len(words) > LEAST and _in_order(words, own) >= NEAR * len(words):
                    yield _Place(one.path, one.line)
                    break


def _in_order(words: list[str], text: list[str]) -> int:
    """Returns how many words of a message stand in a text in their order."""
    at = count = 0
    for word in words:
        if word in text[at:]:
            at = text.index(word, at) + 1
            count += 1
    return count


def _add_place(page: FactPage, one: _Place) -> None:
    """Adds a line that prints a message: by what, how severe it is, and under which conditions."""
    view = page.view(one.path)
    first, says = _call(page, one)
    severity = next((name for name, form in _SEVERITIES if form.search(says)), "")
    conditions = list(_conditions(page, one))
    text = f"- by {says}" if says else "- here"
    text += f" (severity: {severity})" if severity else ""
    text += f", if {' and '.join(conditions)}" if conditions else ""
    page.add(f"{text}:")
    lines = range(first, one.line + 1)
    page.code(one.path, view.source, sorted({*lines, *guards(view, [one.line])}))


def _call(page: FactPage, one: _Place) -> tuple[int, str]:
    """Returns the line on which the call that prints a message begins, and what is called."""
    lines = page.source(one.path).lines
    for number in range(one.line, max(one.line - CALL, 0), -1):
        text = lines[number - 1]
        text = text[: text.index('"')] if number == one.line and '"' in text else text
        if number < one.line and text.partition("//")[0].rstrip().endswith((";", "begin", "end")):
            break
        found = [name for name in _SAYS.findall(text) if name not in ("`gfn", "`gtn", "$sformatf")]
        known = [name for name in found if any(form.search(name) for _, form in _SEVERITIES)]
        if known:
            return number, known[-1]
    return one.line, ""


def _conditions(page: FactPage, place: _Place) -> Iterator[str]:
    """Yields the conditions around a line, the outermost first; loops are no conditions."""
    chain = list(page.outline(place.path, place.line).enclosing(place.line))
    for one in sorted(chain, key=lambda found: found.line):
        if one.kind == "branch" and one.parent is not None:
            yield from _branch(one, one.parent)
        elif one.kind == "arm" and one.parent is not None:
            case, line = one.parent.head.strip(), page.source(place.path).lines[one.line - 1]
            # strings are blanked in the head of an arm, so its line is read
            label = one.head.strip('" ') or line.partition(":")[0].strip()
            yield f"no arm of {case} fits" if label == "default" else f"{case} is {label}"


def _branch(one: Statement, chain: Statement) -> Iterator[str]:
    """Yields the condition of a branch: its own, else that none before it holds."""
    if one.head:
        yield one.head
        return
    for other in chain.children:
        if other is one:
            return
        yield f"not ({other.head})"
