"""Writes an answer without a language model: it quotes the best files, each with its place.

Only text that the index or a file holds is quoted. A sentence of a comment is cited by the lines
it stands on; a description by the line of the unit that it describes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

from hdlgraph.errors import EndpointError
from hdlgraph.model import Explanation, Location
from hdlgraph.query.answer.comments import Sentence, readable, sentences
from hdlgraph.query.answer.context import wanted_terms
from hdlgraph.query.answer.slices import SourceText, Wanted, choose
from hdlgraph.query.question.analyse import analyse
from hdlgraph.query.search import Searcher
from hdlgraph.results import Answer, Citation, Hit, SearchResult
from hdlgraph.words import terms

FILES = 3  # cited files
SENTENCES = 2  # quoted of the best file's comments; one of each other file's
COMPARED = 12  # sentences of a file that are compared with the question in meaning
LINES = 14  # of the excerpt
NEAR = 0.62  # cosine from which a sentence is quoted although it shares no word with the question
_END = re.compile(r"(?<=[.!?])\s+(?=\S)")
_WALK = re.compile(r"(?P<said>.*)\((?P<path>.+):(?P<line>\d+)\)", re.S)
_BARE = re.compile(
    r"(?:(?:Testbench|Formal|Generated|Vendored) )?"
    r"(?:module|class|package|interface|program|checker|primitive|header|include|file"
    r"|used (?:as|by)|part of|in [\w ]+:)",
    re.I,
)
"""Beginnings of the built-in explainer's sentences that only name a unit, not what it is for."""


def extractive_answer(
    searcher: Searcher,
    question: str,
    result: SearchResult,
    read_text: Callable[[str], str],
    explanations: Callable[[], Mapping[str, Explanation]] = dict,
    weak: str = "",
) -> Answer:
    """Returns an answer quoted from the index and the sources of the best hits.

    Args:
        searcher: the searcher that made `result`.
        question: the user's question.
        result: its ranked files, with evidence.
        read_text: gives a file's text ("" when it cannot be read any more).
        explanations: gives the explanation of every file, by path.
        weak: why the evidence is too weak to answer from, "" when it is not.
    """
    if not result.hits:
        text = "No file of this index matches the question."
        return Answer(question, text, (), result, found=False, weak=weak or "no file matches")
    wanted = wanted_terms(analyse(question, searcher.lexicon), searcher.lexicon)
    meaning = _Meaning(searcher, question)
    page = _Page()
    first = result.hits[0].path
    if weak:
        page.lines.append(f"Nothing in this index fits well: {weak}. Nearest is {first}.")
    else:
        page.lines.append(f"Most likely {first}.")
    told = explanations()
    for hit in result.hits[:FILES]:
        source = SourceText(read_text(hit.path))
        page.lines.append("")
        if hit.rank > 1:
            page.lines.append(f"{'Also' if not weak else 'Then'} {hit.path}:")
        _describe(page, hit, source, told.get(hit.path))
        if not weak:
            _quote(page, hit, source, meaning, wanted)
            _walk(page, hit)
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(page.lines)).strip()
    return Answer(question, text, tuple(page.citations), result, found=not weak, weak=weak)


class _Page:
    """The answer so far; nothing is said twice."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.citations: list[Citation] = []
        self.steps: set[str] = set()
        self._said: list[frozenset[str]] = []

    def cite(self, path: str, line: int, end_line: int = 0) -> str:
        """Returns the marker of a place and lists it among the citations."""
        last = max(end_line, line)
        if not any((c.path, c.line, c.end_line) == (path, line, last) for c in self.citations):
            self.citations.append(Citation(len(self.citations) + 1, path, line, last))
        span = f"-{last}" if last > line else ""
        return f"[{Location(path, line)}{span}]"

    def new(self, text: str) -> bool:
        """Returns whether a sentence says something that none before it said."""
        words = frozenset(terms(text))
        if any(len(words & said) >= 0.8 * min(len(words), len(said)) for said in self._said):
            return False
        self._said.append(words)
        return True


def _describe(
    page: _Page,
    hit: Hit,
    source: SourceText,
    told: Explanation | None,
) -> None:
    """Adds what a file is for, cited by the comment that says so, else by its unit's line."""
    text = told.purpose if told else hit.summary
    said = [s.strip() for s in _END.split(" ".join(text.split())) if s.strip()]
    useful = [s for s in said if not _BARE.match(s) and readable(s)] or said[:1]
    comments = sentences(source)
    for sentence in useful[:2]:
        if not page.new(sentence):
            continue
        place = _same(sentence, comments)
        if place:
            mark = page.cite(hit.path, place.line, place.end_line)
        elif source.text.strip():
            mark = page.cite(hit.path, source.unit_line)
        else:  # gone since it was indexed
            mark = page.cite(hit.path, max(hit.line, 1))
        page.lines.append(f"{_closed(sentence)} {mark}")
    if not useful and source.text.strip():
        page.lines.append(f"No description. {page.cite(hit.path, source.unit_line)}")


def _same(sentence: str, comments: list[Sentence]) -> Sentence | None:
    """Returns the comment that says a sentence, be it as part of a longer one, or None."""
    said = _letters(sentence)
    return next((c for c in comments if said in _letters(c.text)), None)


def _letters(text: str) -> str:
    return "".join(ch for ch in text.lower() if ch.isalnum())


def _closed(text: str) -> str:
    return text if text.endswith((".", "!", "?", ":")) else text.rstrip(";,") + "."


def _quote(
    page: _Page,
    hit: Hit,
    source: SourceText,
    meaning: _Meaning,
    wanted: Wanted,
) -> None:
    """Adds the comments of a file nearest to the question, and for the best file its code."""
    best = _nearest(meaning, sentences(source), wanted, SENTENCES if hit.rank == 1 else 1)
    for sentence in sorted(best, key=lambda s: s.line):
        if page.new(sentence.text):
            mark = page.cite(hit.path, sentence.line, sentence.end_line)
            page.lines.append(f"{_closed(sentence.text)} {mark}")
    if hit.rank > 1:
        return
    anchors = [e.line for e in hit.evidence if e.path == hit.path and e.kind == "identifier"]
    anchors += [sentence.end_line for sentence in best]
    parts = choose(source, wanted, anchors, LINES, lambda text: text.count("\n") + 1, code=True)
    part = max(parts, key=lambda p: len(p.lines), default=None)
    if part:
        mark = page.cite(hit.path, part.line, part.end_line)
        page.lines += ["", part.numbered(), mark, ""]


class _Meaning:
    """Compares sentences with the question in meaning, where there is an embedder."""

    def __init__(self, searcher: Searcher, question: str) -> None:
        self._embedder: Any = searcher.index.embedder
        self._question = question

    def near(self, texts: list[str]) -> list[float]:
        """Returns the cosine of each text with the question; 0 where it is not known."""
        try:
            if self._embedder is not None and texts:
                return [float(c) for c in self._embedder.embed(texts) @ self._query]
        except EndpointError:  # an embedding endpoint that does not answer: words alone
            self._embedder = None
        return [0.0] * len(texts)

    @cached_property
    def _query(self) -> Any:
        return self._embedder.embed([self._question], query=True)[0]


def _nearest(meaning: _Meaning, said: list[Sentence], wanted: Wanted, count: int) -> list[Sentence]:
    """Returns the sentences nearest to the question, the nearest first."""
    total = _weight(wanted, wanted) or 1.0
    shares = [_weight(terms(s.text), wanted) / total for s in said]
    order = sorted(range(len(said)), key=lambda n: (-shares[n], n))[:COMPARED]
    near = dict(zip(order, meaning.near([said[n].text for n in order]), strict=True))
    useful = [n for n in order if shares[n] > 0 or near[n] >= NEAR]
    best = sorted(useful, key=lambda n: (-near[n] - 0.3 * shares[n], n))[:count]
    return [said[n] for n in best]


def _weight(found: Iterable[str], wanted: Wanted) -> float:
    """Returns what the question's terms among `found` are worth, each question term once."""
    best: dict[int, float] = {}
    for term in found:
        if term in wanted:
            number, worth = wanted[term]
            best[number] = max(best.get(number, 0.0), worth)
    return sum(best.values())


def _walk(page: _Page, hit: Hit) -> None:
    """Adds the edges that led to a file, each with its place."""
    steps = []
    for step in next((e.walk for e in hit.evidence if e.walk), ()):
        found = _WALK.fullmatch(step)
        if found and step not in page.steps:
            page.steps.add(step)
            said = found["said"].strip()
            steps.append(f"{said} {page.cite(found['path'], int(found['line']))}")
    if steps:
        page.lines.append("Path: " + "; ".join(steps))
