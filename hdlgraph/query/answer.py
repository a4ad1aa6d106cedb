"""An answer without a language model: sentences of the best files, each with its citation.

Only text that the index holds is quoted: explanation sentences, comments and source lines; the
markers [path:line] are checked against the files' line counts before they are returned.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from hdlgraph.query.analyse import analyse
from hdlgraph.query.search import Searcher
from hdlgraph.query.vectors import KINDS
from hdlgraph.results import Answer, Citation, Hit, SearchResult
from hdlgraph.words import terms

FILES = 3  # cited files
SENTENCES = 2  # per file
MIN_WORDS = 4
MAX_COMPARED = 24  # sentences of a file that are compared with the question
LINES = 12  # of a source excerpt
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")


def extractive_answer(
    searcher: Searcher,
    question: str,
    result: SearchResult,
    read_text: Callable[[str], str],
) -> Answer:
    """Returns an answer quoted from the index and the sources of the best hits.

    Args:
        searcher: the searcher that made `result`.
        question: the user's question.
        result: its ranked files, with evidence.
        read_text: gives a file's text ("" when it cannot be read any more).
    """
    if not result.hits:
        return Answer(question, "No file of this index matches the question.", (), result)
    wanted = {t for g in analyse(question, searcher.lexicon).groups for t, _ in g.members}
    lines = [f"Most likely {result.hits[0].path}."]
    citations: list[Citation] = []
    for hit in result.hits[:FILES]:
        number = searcher.lexicon.paths.index(hit.path)
        count = max(int(searcher.lexicon.n_lines[number]), 1)
        sentences = _sentences(searcher, number, question)
        excerpt_line, excerpt = _excerpt(read_text(hit.path), wanted, hit)
        line = min(max(hit.line, 1), count)
        citations.append(Citation(len(citations) + 1, hit.path, line, line))
        said = " ".join(sentences) or hit.summary or "No description."
        lines.append(f"\n{said} [{hit.path}:{line}]")
        if excerpt and hit.rank == 1:
            end = excerpt_line + excerpt.count("\n")
            citations.append(Citation(len(citations) + 1, hit.path, excerpt_line, end))
            lines.append(f"\n{excerpt}\n[{hit.path}:{excerpt_line}]")
        walk = next((e.walk for e in hit.evidence if e.walk), ())
        if walk:
            lines.append("Path: " + "; ".join(walk))
    return Answer(question, "\n".join(lines), tuple(citations), result)


def _sentences(searcher: Searcher, number: int, question: str) -> list[str]:
    """Returns the sentences of a file's explanation and comments nearest to the question."""
    vectors = searcher.vectors
    if vectors is None:
        return []
    first = int(np.searchsorted(vectors.owner, number, side="left"))
    last = int(np.searchsorted(vectors.owner, number, side="right"))
    texts = [vectors.texts[r].text for r in range(first, last)]
    kinds = [KINDS[vectors.kind[r]] for r in range(first, last)]
    said = [t for t, kind in zip(texts, kinds, strict=True) if kind != "head"]
    sentences = list(dict.fromkeys(s.strip() for t in said for s in _SENTENCE.split(t)))
    sentences = [s for s in sentences if len(s.split()) >= MIN_WORDS][:MAX_COMPARED]
    if not sentences:
        return []
    chosen = list(range(min(SENTENCES, len(sentences))))
    if searcher.embedder is not None:
        query = searcher.embedder.embed([question], query=True)[0]
        near = searcher.embedder.embed(sentences) @ query
        chosen = sorted(np.argsort(-near, kind="stable")[:SENTENCES].tolist())
    picked = [sentences[i] for i in chosen]
    return [t if t.endswith((".", "!", "?")) else t + "." for t in picked]


def _excerpt(text: str, wanted: set[str], hit: Hit) -> tuple[int, str]:
    """Returns (first line, the source lines richest in question terms), at most LINES lines."""
    source = text.split("\n")
    if not text.strip():
        return 0, ""
    gain = np.asarray([len(wanted.intersection(terms(line))) for line in source], np.float64)
    window = np.convolve(np.minimum(gain, 3), np.ones(min(LINES, len(source))), mode="valid")
    if not len(window) or window.max() <= 0:
        start = max(hit.line - 1, 0)
    else:
        start = int(np.argmax(window))
    while start < len(source) - 1 and not source[start].strip():
        start += 1
    body = "\n".join(line.rstrip()[:200] for line in source[start : start + LINES])
    return start + 1, body.rstrip()
