"""Fits and judges the confidence of a search; prints the constants of `query/result/confidence.py`.

    python -m hdlgraph.eval.fit.calibrate INDEX... [--judge INDEX QUESTIONS]...

Training questions are made from the indexed files themselves: a sentence of a header comment or of
an explanation, without the words of the file's own path, some of its words dropped or replaced, put
as a question. Its file is the right one. The off-topic questions of `data/off-topic.jsonl` have
none. No question set is trained on; `--judge` measures on them. Fixed seeds: same indexes, same
constants. Cross-validation leaves out one index and one half of the off-topic questions at a time.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import zlib
from collections.abc import Iterable, Sequence
from functools import partial
from importlib.resources import files
from pathlib import Path

import numpy as np

from hdlgraph.eval.fit.calibration_report import constants, table
from hdlgraph.eval.fit.confidence_model import Case, fit
from hdlgraph.project import Project
from hdlgraph.query.result.confidence import FIRST, SIGNS, WORD_SIGNS, signs
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
REFUSED = 0.02
"""Share of the training questions with the right file found that the limit may refuse."""
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


def training_cases(index: Path) -> list[Case]:
    """Returns the cases of one index: questions made from it and the off-topic ones."""
    searcher = Project.open(index).searcher()
    away = off_topic()
    strange = [w for text, _ in away for w in re.findall(r"[a-z]+", text) if question_terms(w)]
    cases = [
        _case(searcher, index, "made", text, (number,))
        for text, number in made_questions(searcher, strange)
    ]
    cases += [_case(searcher, index, kind, text, ()) for text, kind in away]
    return [case for case in cases if case is not None]


def judged_cases(index: Path, questions: Path) -> list[Case]:
    """Returns the cases of a question set, which are never trained on."""
    from hdlgraph.eval.sets.questions import read_questions

    searcher = Project.open(index).searcher()
    place = {path: number for number, path in enumerate(searcher.lexicon.paths)}
    asked = read_questions(questions, paths=searcher.lexicon.paths)
    cases = [
        _case(searcher, index, "asked", q.text, [place[path] for path in q.relevant]) for q in asked
    ]
    return [case for case in cases if case is not None]


def _case(
    searcher: Searcher, index: Path, kind: str, text: str, right: Sequence[int]
) -> Case | None:
    ranking = searcher.ranking(text, hops=1)
    if not ranking.question.groups or "identifier" in ranking.parts:
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


def limit_of(scored: Iterable[tuple[Case, float]]) -> float:
    """Returns the confidence below which REFUSED of the searches lie that found their file."""
    return float(np.quantile([p for case, p in scored if case.found], REFUSED))


def main(arguments: Sequence[str] | None = None) -> None:
    """Fits on the indexes given, prints constants and tables."""
    parser = argparse.ArgumentParser(prog="python -m hdlgraph.eval.fit.calibrate")
    parser.add_argument("index", nargs="+", type=Path, help="index folder to train on")
    parser.add_argument("--judge", nargs=2, type=Path, action="append", default=[])
    say = partial(print, flush=True)  # the constants come first, the tables may take a while
    given = parser.parse_args(arguments)
    cases = [case for index in given.index for case in training_cases(index)]
    scored = {names: crossed(cases, names) for names in (SIGNS, WORD_SIGNS)}
    limit = limit_of(scored[SIGNS])
    models = {names: fit(cases, names) for names in scored}
    say(constants(models[SIGNS], models[WORD_SIGNS], limit))
    rows = scored[SIGNS]
    away = [row for row in rows if row[0].kind != "made"]
    say("\nquestions made from the indexes, cross-validated")
    say("\n".join(table([r for r in rows if r[0].kind == "made"], away, limit)))
    for index, questions in given.judge:
        asked = judged_cases(index, questions)
        for names in scored:
            judged = [(case, models[names].of(case)) for case in asked]
            away = [r for r in scored[names] if r[0].kind != "made" and r[0].index == str(index)]
            say(f"\n{questions} ({'all' if names == SIGNS else 'words only'})")
            say("\n".join(table(judged, away, limit)))


if __name__ == "__main__":
    main()
