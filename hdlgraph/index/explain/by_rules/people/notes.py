"""Chooses the comments inside a file that people are shown, each with its subject.

A comment beside or above one thing is shown with the name of that thing (`` `depth`: words ``). A
comment above a block or a section is shown as it is if it is a sentence; all others are left out.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import accumulate

from hdlgraph.index.explain.by_rules.behaviour import choose, informative
from hdlgraph.index.explain.by_rules.evidence.repeats import main_unit
from hdlgraph.index.explain.by_rules.people.predicates import (
    is_sentence,
    leans,
    unfinished,
    without_tag,
)
from hdlgraph.index.explain.by_rules.people.whole import is_whole, last_part
from hdlgraph.index.explain.by_rules.phrases import capital, clip
from hdlgraph.index.explain.by_rules.prose import sentences
from hdlgraph.model import Comment, FileRecord, Parameter, Port, Process, Signal

WORDS = 40
"""Most words of one comment that are shown."""
_OFF = re.compile(
    r"^\s*(?:`\w|(?:assign|localparam|parameter|input|output|inout|wire|reg|logic|always\w*|if|else"
    r"|end|begin|case|initial|import)\b.*[;({:\[]|[\w.\[\]:]{1,60}\s*(?:<=|=)\s*\S|\.\w+\s*\()"
    r"|[;{}]\s*$",
    re.M,
)
"""Lines of a comment that are code which was switched off."""
_WRITES = 2
"""Most names that a block may write if its inner comments are to count as theirs."""


def remarks(record: FileRecord, skip: Collection[int], used: set[str], words: int) -> list[str]:
    """Returns what the comments inside a file say, within `words`, in their order.

    Args:
        record: the facts of the file.
        skip: lines of comments that other files repeat.
        used: sentences in lower case that are shown already; those returned are added.
        words: the greatest number of words that are returned.
    """
    found: dict[str, tuple[float, int, str]] = {}
    places = _Places(record)
    for comment in record.comments:
        if comment.line in skip or _OFF.search(comment.text) or places.optional(comment):
            continue
        for text in places.sentences(comment, _parts(comment, used)):
            found.setdefault(
                text.lower(), (informative(text), len(found), clip(_begun(text), WORDS))
            )
    return choose(found, used, words)


def _parts(comment: Comment, used: Collection[str]) -> list[str]:
    """Returns the sentences of a comment as they may be shown, "" for each that may not."""
    found = [without_tag(text) for text in sentences(last_part(comment.text))]
    return ["" if unfinished(text) or text.lower() in used else text for text in found]


def _begun(text: str) -> str:
    """Returns a sentence with a capital at its start, unless a name begins it."""
    return capital(text) if text.split(" ", 1)[0].isalpha() else text


class _Spans:
    """Spans of lines, each with its subject, which are asked for by a line.

    Args:
        spans: (first line, last line, subject) of each.
    """

    def __init__(self, spans: Iterable[tuple[int, int, str]]) -> None:
        self._spans = list(spans)
        # By first line; spans of one first line stay in their order.
        self._order = sorted(range(len(self._spans)), key=lambda at: self._spans[at][0])
        self._firsts = [self._spans[at][0] for at in self._order]
        lasts = (self._spans[at][1] for at in self._order)
        self._ends = list(accumulate(lasts, max))
        """The last line of all spans up to each, in that order."""

    def around(self, line: int) -> list[tuple[int, int, str]]:
        """Returns the spans that a line is in, in the order in which they were given."""
        found = []
        at = bisect_right(self._firsts, line) - 1
        while at >= 0 and self._ends[at] >= line:
            if self._spans[self._order[at]][1] >= line:
                found.append(self._order[at])
            at -= 1
        return [self._spans[at] for at in sorted(found)]


class _Places:
    """What stands on which lines of a file.

    Args:
        record: the facts of the file.
    """

    def __init__(self, record: FileRecord) -> None:
        main = main_unit(record)
        self._main = main.line if main else 0
        hidden = (b for b in record.branches if not b[0] <= self._main <= b[1])
        self._branches = _Spans((first, last, "") for first, last in hidden)
        self._names: dict[int, list[str]] = defaultdict(list)
        self._texts: dict[int, str] = {}
        self._listed = self._blocks = _Spans(())
        self._heads: set[int] = set()
        for line, name, text in _declared(record):
            self._names[line].append(name)
            self._texts[line] = text
        self._read(record)
        pairs = zip(record.comments, record.comments[1:], strict=False)
        # Comments on lines of their own that follow each other are one: these stand behind code.
        near = ((a.line, b.line) for a, b in pairs if b.line <= a.end_line + 1)
        self._behind = {line for both in near for line in both}

    def _read(self, record: FileRecord) -> None:
        units = record.units
        kinds = [*record.types, *(kind for unit in units for kind in unit.types)]
        listed = [(kind.line + 1, kind.end_line, "") for kind in kinds]
        listed += [(one.line + 1, one.end_line, "") for unit in units for one in unit.instances]
        self._listed = _Spans(listed)
        routines = [*record.routines, *(one for unit in units for one in unit.routines)]
        blocks = [(one.line, one.end_line, f"In `{one.name}`") for one in routines]
        processes = [one for unit in units for one in unit.processes]
        writers = Counter(name for one in processes for name in set(one.writes))
        for process in processes:
            if process.line == process.end_line:
                # What stands beside one field of a structure is not about all of it.
                own = [name for name in process.writes if writers[name] == 1]
                self._names[process.line].extend(dict.fromkeys(own or ("", " ")))
            blocks.append((process.line, process.end_line, _subject(process)))
        self._blocks = _Spans((first + 1, last, subject) for first, last, subject in blocks)
        self._heads = {line for line, _, _ in blocks} | {unit.line for unit in units}
        scopes = (s for unit in units for one in unit.instances for s in one.scopes)
        self._heads |= {scope.line for scope in scopes if scope.kind == "generate"}

    def optional(self, comment: Comment) -> bool:
        """Returns whether a comment stands in an `ifdef branch that does not hold the unit."""
        return bool(self._branches.around(comment.line))

    def sentences(self, comment: Comment, texts: list[str]) -> Iterator[str]:
        """Yields sentences of a comment as they are told, with their subject where they need it."""
        beside, below = self._names.get(comment.line, []), self._names.get(comment.end_line + 1, [])
        if beside:
            if len(set(beside)) == 1:
                kept = [text for text in texts[:1] if is_whole(text, comment.text)]
                yield from _of(beside[0].strip("`"), kept)
            return
        if comment.line in self._behind or self._listed.around(comment.line):
            return
        around = self._blocks.around(comment.line)
        if around:
            inner = min(around, key=lambda one: one[1] - one[0])
            yield from self._inside(inner[2], comment, texts)
        elif comment.end_line + 1 in self._heads or not below:
            yield from (text for text in texts if _is_sentence(text, comment))
        elif len(set(below)) == 1 and not self._begins_group(comment):
            yield from _of(
                below[0].strip("`"), [text for text in texts[:1] if _is_sentence(text, comment)]
            )

    def _begins_group(self, comment: Comment) -> bool:
        """Returns whether a comment stands above several declarations that have none."""
        line = comment.end_line + 2
        return line in self._names and not self._texts.get(line)

    def _inside(self, subject: str, comment: Comment, texts: list[str]) -> Iterator[str]:
        if subject:
            yield from (f"{subject}: {text}" for text in texts if _is_sentence(text, comment))


def _is_sentence(text: str, comment: Comment) -> bool:
    """Returns whether words of a comment are a sentence, from end to end as it stands there."""
    return is_sentence(text) and is_whole(text, comment.text)


def _of(name: str, texts: list[str]) -> Iterator[str]:
    if texts and texts[0] and name and not leans(texts[0]):
        yield f"`{name}`: {_without(name, texts[0])}"


def _without(name: str, text: str) -> str:
    """Returns a comment without the name that it begins with, where a mark follows that."""
    rest = text.removeprefix(name).lstrip()
    return rest.lstrip(" :-=") if rest != text and rest[:1] in (":", "-", "=") else text


def _subject(process: Process) -> str:
    """Returns what the comments inside a block are about, "" where it writes many names."""
    names = list(dict.fromkeys(name.partition(".")[0] for name in process.writes))
    if process.label:
        return f"In `{process.label}`"
    return " and ".join(f"`{name}`" for name in names) if 0 < len(names) <= _WRITES else ""


def _declared(record: FileRecord) -> Iterator[tuple[int, str, str]]:
    """Yields (line, name, comment) of what a comment may stand beside."""
    for one in record.macros:
        yield one.line, f"`{one.name}", ""
    for parameter in record.parameters:
        yield parameter.line, parameter.name, parameter.comment
    for kind in (*record.types, *(kind for unit in record.units for kind in unit.types)):
        # Where every line has one member, the places of all are known.
        if kind.end_line - kind.line == len(kind.members) + 1:
            yield from ((kind.line + 1 + at, name, "") for at, name in enumerate(kind.members))
    for unit in record.units:
        for machine in unit.machines:
            yield from ((line, state, "") for state, line in machine.states)
        for check in unit.assertions:
            yield check.line, check.name, ""
        declared: tuple[Port | Parameter | Signal, ...] = (
            *unit.ports,
            *unit.parameters,
            *unit.signals,
        )
        for item in declared:
            yield item.line, item.name, item.comment
        for instance in unit.instances:
            yield instance.line, instance.name, instance.comment
            for pin in instance.connections:
                if pin.line and pin.line != instance.line:
                    yield pin.line, pin.port, ""
