"""Answers which test checks what a question describes, by the entries of test plans."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.results import SearchResult
from hdlgraph.store.design.verification import Code, Goal
from hdlgraph.words import content_stems, stem

MOST, NEAR = 2, 0.8  # entries that are told, and share of the best one's worth of a second one
LEAST, SHARE = 2, 0.5  # words of the question that an entry has, and share of their worth
TEXT = 300  # characters of a description that are shown
TESTS = 6  # of an entry that are named
ENTRIES = 20_000  # that are read
_ASKED = re.compile(
    r"\b(?:which|what|is there (?:an?|any)|are there(?: any)?|find|list)\b(?: \w+){0,3}? "
    r"(?:tests?|test ?cases?|test ?points?)\b"
    r"|\b(?:test ?plans?|test ?points?)\b|\b(?:by|in) (?:which|what) tests?\b",
    re.I,
)
_OWN = frozenset(
    stem(word)
    for word in "test tests testcase testpoint testplan plan dv verification simulation check "
    "exercise cover verify stress run sequence scenario simulate design block module".split()
)


def add_planned(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the entries of test plans that have most words of a question for a test.

    A rare word counts log(1 + entries / entries that have it). False where a question asks for no
    test, or no entry has half of what its words are worth.
    """
    known = queries.verification() if _ASKED.search(question) else None
    if known is None:
        return False
    moved = {*result.stale.changed, *result.stale.removed}
    entries = list(islice(_entries(known.benches.code, moved), ENTRIES))
    wanted = dict.fromkeys(word for word in content_stems(question) if word not in _OWN)
    count = Counter(word for _, stems in entries for word in wanted.keys() & stems)
    worth = {word: math.log(1 + len(entries) / max(count[word], 1)) for word in wanted}
    scored = []
    for one, stems in entries:
        shared = [word for word in wanted if word in stems]
        if len(shared) >= LEAST:
            scored.append((sum(worth[word] for word in shared), one))
    scored.sort(key=lambda each: (-each[0], each[1].path, each[1].line))
    if not scored or scored[0][0] < SHARE * sum(worth.values()):
        return False
    # An entry that several lists import is told once, with the tests of the list that fits best.
    once: dict[tuple[str, int], Goal] = {}
    for score, one in scored:
        if score >= NEAR * scored[0][0]:
            once.setdefault((one.path, one.line), one)
    for one in list(once.values())[:MOST]:
        page.state(_told(one), one.path, one.line, one.last)
    return True


def _entries(code: Code, moved: set[str]) -> Iterator[tuple[Goal, frozenset[str]]]:
    """Yields the entries of all test plans with the stems of what they and their list say."""
    for tests in code.lists:
        for one in tests.goals:
            if one.path and one.path not in moved:
                text = f"{one.name} {one.about} {' '.join(one.tests)} {tests.name} {tests.unit}"
                yield one, frozenset(content_stems(text))


def _told(one: Goal) -> str:
    about = one.about if len(one.about) <= TEXT else f"{one.about[: TEXT - 1].rstrip()}…"
    text = f"Test plan, {one.name}: {about}" if about else f"Test plan, {one.name}"
    tests = ", ".join(dict.fromkeys(one.tests[:TESTS]))
    more = len(one.tests) - TESTS
    tests += f" and {more} more" if more > 0 else ""
    return f"{text} (test{'s' * (len(one.tests) != 1)} {tests})" if tests else f"{text} (no test)"
