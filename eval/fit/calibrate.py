"""Fits and judges the confidence of a search; prints the constants of `query/result/confidence.py`.

    python -m hdlgraph.eval.fit.calibrate INDEX... [--training INDEX QUESTIONS]...
        [--judge INDEX QUESTIONS]...

Training questions are made from the indexed files themselves: a sentence of a header comment or of
an explanation, without the words of the file's own path, some of its words dropped or replaced, put
as a question; and the words of a file's name alone. Its file is the right one. The questions of
`--training` (the sets below `data/training`) count as well. The off-topic questions of
`data/off-topic.jsonl`, and one or two words of them, have no right file. No other question set is
trained on; `--judge` measures on them. Searches with vectors and those by words alone are fitted
apart.

What is refused is told by a second regression (`query/result/topic.py`), of the questions of
`--training`, whole and cut to a few words so that length is no sign, against the off-topic ones.
Its bias is moved so that no whole question of `--training` is refused. Fixed seeds: same indexes,
same constants. Cross-validation leaves out one index and one half of the off-topic questions at a
time.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from importlib.resources import files
from pathlib import Path

from hdlgraph.eval.fit.calibration_report import constants, refused, table
from hdlgraph.eval.fit.confidence_model import Case, Model, fit
from hdlgraph.project import Project
from hdlgraph.query.index_view import IndexView
from hdlgraph.query.result.confidence import FIRST, LIMIT, SIGNS, WORD_SIGNS, named, signs
from hdlgraph.query.result.topic import MARGIN, TOPIC_SIGNS, WORD_TOPIC_SIGNS
from hdlgraph.query.search import Searcher
from hdlgraph.words import question_terms, split_identifier, stem

SEED = 20260101
PER_INDEX = 250  # training questions made from one index
MOST_WORDS = 40
LEAST_TERMS = 3
TERMS = (3, 16)  # content words of a training question, as far as its text has them
DROPPED = (0.0, 0.1, 0.2, 0.4)
"""Shares of content words that a training question loses, one drawn for each question; half of
the lost words are replaced by words that have nothing to do with it."""
TERSE = 80  # questions of one to three words made from the names of files
CROP = 2  # content words of an off-topic question that stand alone
SHORT = (3, 6)  # content words of a training question that stand alone
FRAMES = (
    "which block {}?",
    "where is {} handled?",
    "how does it {}?",
    "what takes care of {}?",
    "{}",
)


def made_questions(searcher: Searcher, strange: Sequence[str]) -> list[tuple[str, int]]:
    """Returns (question, number of the right file), at most one a file, from the index's texts.

    Args:
        searcher: of the index; it needs surfaces.
        strange: words that may replace a question's own.
    """
    surfaces = searcher.index.surfaces
    texts: dict[int, list[str]] = {}
    for surface in surfaces.texts if surfaces is not None else ():
        texts.setdefault(surface.file, []).append(surface.text)
    draw = random.Random(SEED)
    numbers = sorted(texts)
    draw.shuffle(numbers)
    out: list[tuple[str, int]] = []
    for number in numbers:
        sentences = re.split(r"(?<=[.;])\s+|\n", draw.choice(texts[number]))
        own = {
            stem(word)
            for part in searcher.lexicon.paths[number].split("/")
            for word in split_identifier(part)
        }
        start, wanted = draw.randrange(len(sentences)), draw.randint(*TERMS)
        end = start + 1
        while end < len(sentences) and len(question_terms(" ".join(sentences[start:end]))) < wanted:
            end += 1
        question = _put(" ".join(sentences[start:end]), own, strange, draw)
        if len(question_terms(question)) >= LEAST_TERMS:
            out.append((question, number))
        if len(out) == PER_INDEX:
            break
    return out


def _put(sentence: str, own: set[str], strange: Sequence[str], draw: random.Random) -> str:
    share, kept = draw.choice(DROPPED), []
    for word in re.findall(r"[A-Za-z]+", re.sub(r"\S*_\S*", " ", sentence))[:MOST_WORDS]:
        terms = question_terms(word)
        if own.intersection(terms):
            continue
        if terms and draw.random() < share:
            if draw.random() < 0.5:
                kept.append(draw.choice(strange))
            continue
        kept.append(word)
    return draw.choice(FRAMES).format(" ".join(kept))


def off_topic() -> list[tuple[str, str]]:
    """Returns (question, kind) of the questions that no file answers."""
    text = (files("hdlgraph.eval") / "data/off-topic.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    return [(row["question"], f"off-topic {row['kind']}") for row in rows]


def terse_questions(searcher: Searcher) -> list[tuple[str, int]]:
    """Returns (one to three words of a file's name, its number), where they name no other file."""
    named: dict[str, list[int]] = {}
    for number, path in enumerate(searcher.lexicon.paths):
        words = [w for w in split_identifier(path.rsplit("/", 1)[-1].rsplit(".", 1)[0]) if w[1:]]
        named.setdefault(" ".join(words[-3:]), []).append(number)
    found = [(text, numbers[0]) for text, numbers in sorted(named.items()) if len(numbers) == 1]
    random.Random(SEED).shuffle(found)
    return [(text, number) for text, number in found if question_terms(text)][:TERSE]


def cropped() -> list[tuple[str, str]]:
    """Returns (one or two content words, kind) of the off-topic questions on no hardware."""
    draw, out = random.Random(SEED), []
    for text, kind in off_topic():
        words = [w for w in re.findall(r"[A-Za-z]{3,}", text) if question_terms(w)]
        if "hardware" not in kind and words:
            start = draw.randrange(len(words))
            out.append((" ".join(words[start : start + draw.randint(1, CROP)]), kind))
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


def searchers(index: Path) -> dict[tuple[str, ...], Searcher]:
    """Returns the searcher of an index, and one of the same index by words alone, by signs."""
    full = Project.open(index).searcher()
    return {SIGNS: full, WORD_SIGNS: Searcher(IndexView(full.index.folder))}


def training_cases(searcher: Searcher, index: Path) -> list[Case]:
    """Returns the cases of one index: questions made from it and the off-topic ones."""
    away = off_topic()
    strange = [w for text, _ in away for w in re.findall(r"[a-z]+", text) if question_terms(w)]
    made = [*made_questions(searcher, strange), *terse_questions(searcher)]
    cases = [_case(searcher, index, "made", text, (number,)) for text, number in made]
    cases += [_case(searcher, index, kind, text, ()) for text, kind in (*away, *cropped())]
    return [case for case in cases if case is not None]


def asked_cases(searcher: Searcher, index: Path, questions: Path, kind: str) -> list[Case]:
    """Returns the cases of a question set."""
    from hdlgraph.eval.sets.questions import read_questions

    place = {path: number for number, path in enumerate(searcher.lexicon.paths)}
    asked = read_questions(questions, paths=searcher.lexicon.paths)
    draw, cases = random.Random(SEED), []
    for question in asked:
        right = [place[path] for path in question.relevant]
        cases.append(_case(searcher, index, kind, question.text, right))
        if kind == "asked":
            cases.append(_case(searcher, index, "short", shortened(question.text, draw), right))
    return [case for case in cases if case is not None]


def _case(
    searcher: Searcher, index: Path, kind: str, text: str, right: Sequence[int]
) -> Case | None:
    ranking = searcher.ranking(text, hops=1)
    if not ranking.question.groups or named(ranking):
        return None  # such a search is never called weak
    found = any(number in ranking.order[:FIRST] for number in right)
    fold = zlib.crc32(text.encode()) % 2
    return Case(str(index), kind, fold, signs(ranking), found)


def crossed(cases: Sequence[Case], names: tuple[str, ...]) -> list[tuple[Case, float]]:
    """Returns each case with its confidence by a model that saw neither its index nor its half.

    With one index, only the half is left out.
    """
    several = len({case.index for case in cases}) > 1
    out = []
    for index in sorted({case.index for case in cases}):
        for fold in (0, 1):
            model = fit(
                (c for c in cases if c.fold != fold and (c.index != index or not several)), names
            )
            held = [c for c in cases if c.index == index and c.fold == fold]
            out += [(case, model.of(case)) for case in held]
    return out


def topic_model(cases: Iterable[Case], names: tuple[str, ...]) -> Model:
    """Returns the regression that separates on-topic questions from others, at or above 0 log odds.

    The bias is such that the whole training question that is furthest off stands at MARGIN.
    """
    chosen = [
        replace(case, found=case.kind in ("asked", "short"))
        for case in cases
        if case.kind != "made"
    ]
    model = fit(chosen, names)
    lowest = min((model.log_odds(c) for c in chosen if c.kind == "asked"), default=0.0)
    return replace(model, bias=round(model.bias - lowest + MARGIN, 3))


def main(arguments: Sequence[str] | None = None) -> None:
    """Fits on the indexes given, prints constants and tables."""
    parser = argparse.ArgumentParser(prog="python -m hdlgraph.eval.fit.calibrate")
    parser.add_argument("index", nargs="+", type=Path, help="index folder to train on")
    for name in ("--training", "--judge"):
        parser.add_argument(name, nargs=2, type=Path, action="append", default=[])
    say = partial(print, flush=True)  # the constants come first, the tables may take a while
    given = parser.parse_args(arguments)
    cases: dict[tuple[str, ...], list[Case]] = {SIGNS: [], WORD_SIGNS: []}
    for index in given.index:
        for names, searcher in searchers(index).items():
            cases[names] += training_cases(searcher, index)
            for place, questions in given.training:
                if place == index:
                    cases[names] += asked_cases(searcher, index, questions, "asked")
    scored = {names: crossed(found, names) for names, found in cases.items()}
    models = {names: fit(found, names) for names, found in cases.items()}
    topics = {
        SIGNS: topic_model(cases[SIGNS], TOPIC_SIGNS),
        WORD_SIGNS: topic_model(cases[WORD_SIGNS], WORD_TOPIC_SIGNS),
    }
    say(constants(models[SIGNS], models[WORD_SIGNS]))
    say(constants(topics[SIGNS], topics[WORD_SIGNS], "TOPIC_"))
    for names, rows in scored.items():
        how = "all" if names == SIGNS else "words only"
        away = [row for row in rows if row[0].kind.startswith("off-topic")]
        for kind in ("made", "asked"):
            on = [row for row in rows if row[0].kind == kind]
            say(f"\n{kind}, cross-validated ({how})")
            if on:
                say("\n".join(table(on, away, LIMIT)))
        say(f"\nrefused ({how})")
        say("\n".join(refused(cases[names], topics[names])))
    for index, questions in given.judge:
        for names, searcher in searchers(index).items():
            asked = asked_cases(searcher, index, questions, "judged")
            judged = [(case, models[names].of(case)) for case in asked]
            away = [r for r in scored[names] if r[0].kind.startswith("off-topic")]
            say(f"\n{questions} ({'all' if names == SIGNS else 'words only'})")
            say("\n".join(table(judged, away, LIMIT)))
            say("\n".join(refused(asked, topics[names])))


if __name__ == "__main__":
    main()
