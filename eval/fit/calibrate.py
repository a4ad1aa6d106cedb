"""Fits and judges the confidence of a search; prints the constants of `query/result/confidence.py`.

    python -m hdlgraph.eval.fit.calibrate [--same NAME,NAME]... [--judge QUESTIONS INDEX]...
        QUESTIONS INDEX [QUESTIONS INDEX ...]

Learnt is whether the right file is among the first five, from questions of all kinds over many
repositories and from the off-topic questions of `data/off-topic.jsonl`, which have no right file.
Three regressions are fitted apart: of searches whose first files the network put in order, of all
searches with vectors, and of searches by words alone. Questions that write a name of the index
have one confidence, the share of them whose file is found, which is printed. `--judge` measures on
sets of which nothing is learnt.

What is refused is told by a second regression (`query/result/topic.py`), of the same questions,
whole and cut to a few words so that length is no sign, against the off-topic ones, and one or two
words of these. Its bias is moved so that no whole question is refused. Fixed seeds: same
indexes, same constants. Cross-validation leaves out the indexes of one origin (`--same` names
those) and one half of the off-topic questions at a time.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.resources import files
from pathlib import Path

from hdlgraph.errors import telling_errors
from hdlgraph.eval.fit.calibration_report import by_kind, constants, refused, table
from hdlgraph.eval.fit.confidence_model import AWAY, SHORTENED, Case, Model, fit
from hdlgraph.eval.sets.questions import read_questions
from hdlgraph.project import Project
from hdlgraph.query.index_view import IndexView
from hdlgraph.query.result.confidence import (
    FIRST,
    LIMIT,
    NETWORK_SIGNS,
    SIGNS,
    WORD_SIGNS,
    confidence,
    named,
    signs,
    sure_of_name,
)
from hdlgraph.query.result.topic import MARGIN, TOPIC_SIGNS, WORD_TOPIC_SIGNS
from hdlgraph.query.search import Searcher
from hdlgraph.words import question_terms

SEED = 20260101
CROP = 2  # content words of an off-topic question that stand alone
SHORT = (3, 6)  # content words of a question that stand alone
SHARE_CUT = 0.25  # of the questions of a set
NAMED = "names a declaration"
PREFIXES = {NETWORK_SIGNS: "NETWORK_", SIGNS: "", WORD_SIGNS: "WORD_"}
"""How the constants of each regression begin in `hdlgraph/query/result/confidence.py`."""

Way = tuple[str, ...]
"""A way of searching, by its signs: SIGNS with vectors, WORD_SIGNS without."""


def off_topic() -> list[tuple[str, str]]:
    """Returns (question, kind) of the questions that no file answers."""
    text = (files("hdlgraph.eval") / "data/off-topic.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    return [(row["question"], f"{AWAY} {row['kind']}") for row in rows]


def cropped() -> list[tuple[str, str]]:
    """Returns (one or two content words, kind) of the off-topic questions on no hardware."""
    draw, out = random.Random(SEED), []
    for text, kind in off_topic():
        words = [w for w in re.findall(r"[A-Za-z]{3,}", text) if question_terms(w)]
        if "hardware" not in kind and words:
            start = draw.randrange(len(words))
            text = " ".join(words[start : start + draw.randint(1, CROP)])
            out.append((text, f"{kind}, {SHORTENED}"))
    return out


def shortened(text: str, draw: random.Random) -> str:
    """Returns a few words in a row of a question, all of it where it has no more."""
    words = re.findall(r"[A-Za-z0-9_-]+", text)
    places = [place for place, word in enumerate(words) if question_terms(word)]
    wanted = draw.randint(*SHORT)
    if len(places) <= wanted:
        return text
    start = draw.randrange(len(places) - wanted + 1)
    return " ".join(words[places[start] : places[start + wanted - 1] + 1])


def searchers(index: Path) -> dict[Way, Searcher]:
    """Returns the searcher of an index, and one of the same index by words alone, by signs."""
    full = Project.open(index).searcher()
    return {SIGNS: full, WORD_SIGNS: Searcher(IndexView(full.index.folder))}


def away_cases(searcher: Searcher, origin: str) -> Iterator[Case]:
    """Yields the cases of the off-topic questions."""
    for text, kind in (*off_topic(), *cropped()):
        yield from _case(searcher, origin, kind, text, ())


def asked_cases(
    searcher: Searcher, origin: str, questions: Path, short: bool = True
) -> Iterator[Case]:
    """Yields the cases of a question set, and with `short` those of some questions cut short.

    Questions without a right file in the index are left out.
    """
    place = {path: number for number, path in enumerate(searcher.lexicon.paths)}
    draw = random.Random(SEED)
    for question in read_questions(questions):
        right = [place[p] for p in (*question.relevant, *question.equivalent) if p in place]
        if not right:
            continue
        yield from _case(searcher, origin, question.kind, question.text, right)
        if short and draw.random() < SHARE_CUT:
            cut = shortened(question.text, draw)
            yield from _case(searcher, origin, SHORTENED, cut, right)


def _case(
    searcher: Searcher, origin: str, kind: str, text: str, right: Sequence[int]
) -> Iterator[Case]:
    ranking = searcher.ranking(text, hops=1)
    if not ranking.question.groups or not ranking.order:
        return
    first = set(searcher.distinct(ranking.order, FIRST))
    fold = zlib.crc32(text.encode()) % 2
    about = NAMED if named(ranking) else kind
    yield Case(origin, about, fold, signs(ranking), not first.isdisjoint(right))


def crossed(cases: Sequence[Case], names: Way) -> list[tuple[Case, float]]:
    """Returns each case with its confidence by a model that saw neither its origin nor its half.

    With one origin, only the half is left out.
    """
    several = len({case.origin for case in cases}) > 1
    out = []
    for origin in sorted({case.origin for case in cases}):
        for fold in (0, 1):
            rest = [c for c in cases if c.origin != origin or not several]
            model = fit([c for c in rest if c.fold != fold or (several and not c.is_away)], names)
            held = [c for c in cases if c.origin == origin and c.fold == fold]
            out += [(case, model.of(case)) for case in held]
    return out


def topic_model(cases: Iterable[Case], names: Way) -> Model:
    """Returns the regression that separates on-topic questions from others, at or above 0.

    The bias is such that the whole question that is furthest off stands at MARGIN.
    """
    chosen = [replace(case, found=not case.is_away) for case in cases]
    model = fit(chosen, names)
    whole = (c for c in chosen if not c.is_away and c.kind != SHORTENED)
    lowest = min(map(model.log_odds, whole), default=0.0)
    return replace(model, bias=round(model.bias - lowest + MARGIN, 3))


def collect(
    pairs: Iterable[tuple[Path, Path]], origins: Mapping[str, str]
) -> dict[Way, list[Case]]:
    """Returns the cases of all question sets, and once for each index those of off-topic questions.

    Args:
        pairs: question set and index.
        origins: the origin of an index, by its folder's name; its own name where it is not there.
    """
    cases: dict[Way, list[Case]] = {SIGNS: [], WORD_SIGNS: []}
    known: dict[Path, dict[Way, Searcher]] = {}
    for questions, index in pairs:
        origin = origins.get(index.name, index.name)
        if index not in known:
            known[index] = searchers(index)
            for way, searcher in known[index].items():
                cases[way] += away_cases(searcher, origin)
        for way, searcher in known[index].items():
            cases[way] += asked_cases(searcher, origin, questions)
    return cases


def chosen(cases: Iterable[Case], names: Way) -> list[Case]:
    """Returns what a regression of these signs is fitted on: whole questions that name nothing."""
    return [
        case
        for case in cases
        if case.kind != NAMED
        and not case.kind.endswith(SHORTENED)
        and all(name in case.signs for name in names)
    ]


def report(way: Way, cases: Sequence[Case]) -> Iterator[str]:
    """Yields the constants of one way of searching and what they hold, cross-validated."""
    by_names = [case.found for case in cases if case.kind == NAMED]
    yield f"\n{NAMED}: {len(by_names)} questions, right {sum(by_names) / max(len(by_names), 1):.3f}"
    for names in (NETWORK_SIGNS, SIGNS) if way == SIGNS else (WORD_SIGNS,):
        fitted = chosen(cases, names)
        yield from constants(fit(fitted, names), PREFIXES[names])
        scored = crossed(fitted, names)
        on = [row for row in scored if not row[0].is_away]
        yield from table(on, [row for row in scored if row[0].is_away], LIMIT)
        yield from by_kind(on)
    rest = [case for case in cases if case.kind != NAMED]
    topic = topic_model(rest, TOPIC_SIGNS if way == SIGNS else WORD_TOPIC_SIGNS)
    yield from constants(topic, "TOPIC_" if way == SIGNS else "WORD_TOPIC_")
    yield from refused(rest, topic)


def judge(questions: Path, index: Path) -> Iterator[str]:
    """Yields how the confidence of this version holds on a set of which nothing was learnt."""
    for way, searcher in searchers(index).items():
        cases = list(asked_cases(searcher, index.name, questions, short=False))
        scored = [
            (case, sure_of_name(case.signs) if case.kind == NAMED else confidence(case.signs))
            for case in cases
        ]
        yield f"\n{questions} ({'with vectors' if way == SIGNS else 'words alone'})"
        yield from table(scored, [], LIMIT)
        yield from by_kind(scored)


@telling_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Fits on the pairs given, prints constants and tables; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m hdlgraph.eval.fit.calibrate", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("pairs", nargs="*", type=Path, metavar="QUESTIONS INDEX")
    parser.add_argument("--same", action="append", default=[], metavar="NAME,NAME")
    parser.add_argument(
        "--judge", nargs=2, type=Path, action="append", default=[], metavar=("QUESTIONS", "INDEX")
    )
    say = partial(print, flush=True)  # the constants come first, the tables may take a while
    given = parser.parse_args(arguments)
    if len(given.pairs) % 2:
        parser.error("name an index behind each question set")
    origins = {name: same for same in given.same for name in same.split(",")}
    pairs = zip(given.pairs[::2], given.pairs[1::2], strict=True)
    for way, cases in collect(pairs, origins).items():
        if cases:
            say("\n".join(report(way, cases)))
    for questions, index in given.judge:
        say("\n".join(judge(questions, index)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
