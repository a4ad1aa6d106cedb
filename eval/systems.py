"""The systems under comparison, behind one small protocol.

A system is named NAME or NAME:TEXT; TEXT (`code` or `explanations`) says what a baseline reads,
where its default would read the other one.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from hdlgraph.eval.baselines import WHOLE, Bm25, Dense, MinMaxSum, Scorer, TfIdf
from hdlgraph.eval.report import ModelUse
from hdlgraph.eval.texts import read_code

from hdlgraph.errors import UsageError

if TYPE_CHECKING:
    from hdlgraph.project import Project
    from hdlgraph.results import SearchResult

TEXTS = ("code", "explanations")
HELP = ("rewrite", "decompose", "rerank")
"""What the query model may do for a question; each is measured by the system hdlgraph-NAME."""


class System(Protocol):
    """Ranks the files of a corpus for a question.

    `used` is what a language model was asked for it so far, None without one.
    """

    name: str
    used: ModelUse | None

    def warm(self, question: str, k: int) -> None:
        """Loads what is loaded lazily; asks no model."""
        ...

    def rank(self, question: str, k: int) -> list[str]:
        """Returns at most `k` paths, best first, without repetition."""
        ...


@dataclass
class Corpus:
    """The candidate files of one run and what systems need of them; texts are read once.

    Args:
        project: the indexed repository.
        paths: candidate paths, sorted; baselines compute their statistics over these alone.
        cache: folder for vectors of the embedding baselines, or None.
    """

    project: Project
    paths: tuple[str, ...]
    cache: Path | None = None
    _texts: dict[str, list[str]] = field(default_factory=dict, repr=False)
    _scorers: dict[tuple[str, str], Scorer] = field(default_factory=dict, repr=False)

    def texts(self, kind: str) -> list[str]:
        """Returns code (path and text) or explanations of all candidates, in path order."""
        if kind not in self._texts:
            if kind == "code":
                self._texts[kind] = read_code(self.project.root, self.paths)
            else:
                known = self.project.explanations()
                self._texts[kind] = [
                    known[path].to_text() if path in known else path for path in self.paths
                ]
        return self._texts[kind]

    def scorer(self, name: str, kind: str, make: Callable[[list[str]], Scorer]) -> Scorer:
        """Returns the scorer `name` over texts of a kind, shared between systems."""
        key = (name, kind)
        if key not in self._scorers:
            self._scorers[key] = make(self.texts(kind))
        return self._scorers[key]

    def candidates(self) -> frozenset[str] | None:
        """Returns the candidates for a search, None when they are the whole index."""
        everything = len(self.paths) == len(self.project.manifest().files)
        return None if everything else frozenset(self.paths)

    def embedder(self) -> Any:
        """Returns the index's embedder, reading whole texts.

        Raises:
            UsageError: embeddings are switched off for this repository.
            WeightsMissingError: there are no weights.
        """
        from hdlgraph.index.embed import load_embedder

        settings = self.project.settings
        whole = dataclasses.replace(settings.embedding, max_tokens=WHOLE)
        if whole.provider == "none":
            raise UsageError(
                "systems with embeddings need a model, but `hdlgraph.embedding.provider` is `none`:"
                " choose other systems, such as --systems bm25,hdlgraph"
            )
        return load_embedder(dataclasses.replace(settings, embedding=whole))


class ScoredSystem:
    """A baseline: sorts the candidates by a scorer, ties by path."""

    def __init__(self, name: str, corpus: Corpus, scorer: Scorer) -> None:
        self.name = name
        self.used: ModelUse | None = None
        self._paths = corpus.paths
        self._scorer = scorer

    def warm(self, question: str, k: int) -> None:
        """Ranks once."""
        self.rank(question, k)

    def rank(self, question: str, k: int) -> list[str]:
        """Returns the `k` best candidates."""
        order = np.argsort(-self._scorer.scores(question), kind="stable")[:k]
        return [self._paths[number] for number in order]


class SearchSystem:
    """hdlgraph's own search; its statistics are those of the whole index.

    `hops` None takes the settings.
    """

    def __init__(self, name: str, corpus: Corpus, hops: int | None) -> None:
        self.name = name
        self.used: ModelUse | None = None
        project = corpus.project
        self._searcher = project.searcher()
        self._hops = project.settings.search.hops if hops is None else hops
        self._candidates = corpus.candidates()

    def warm(self, question: str, k: int) -> None:
        """Ranks once."""
        self.rank(question, k)

    def rank(self, question: str, k: int) -> list[str]:
        """Returns the `k` best candidates."""
        result = self._searcher.search(
            question, k, self._hops, (), self._candidates, evidence=False
        )
        return [hit.path for hit in result.hits]


class ShortFormSystem(SearchSystem):
    """hdlgraph's search with the whole dictionary of short forms, or without any."""

    def __init__(self, name: str, corpus: Corpus, hops: int | None, dictionary: bool) -> None:
        from hdlgraph.eval.short import ChangedSearcher

        super().__init__(name, corpus, hops)
        known, project = self._searcher, corpus.project
        self._searcher = ChangedSearcher(
            known.folder, lambda: known.embedder, project.dictionary() if dictionary else None
        )


class HelpedSystem:
    """hdlgraph's search with one kind of help from the query model: rewrite, decompose or rerank.

    Answers that the index folder holds are not asked again, so a second run is free.
    """

    def __init__(self, name: str, corpus: Corpus, kind: str) -> None:
        self.name = name
        self.used: ModelUse | None = ModelUse()
        self._project = corpus.project
        self._kind = kind
        self._candidates = corpus.candidates()

    def warm(self, question: str, k: int) -> None:
        """Searches once without the model."""
        self._search(question, k, wanted=False)

    def rank(self, question: str, k: int) -> list[str]:
        """Returns the `k` best candidates; where the model fails, those of the plain search."""
        from hdlgraph.query.guided import FAILED

        spending = self._project.session.spending
        before = spending.total()
        result = self._search(question, k, wanted=True)
        now = spending.total()
        assert self.used is not None
        self.used += ModelUse(
            calls=now.calls - before.calls,
            stored=now.stored - before.stored,
            input_tokens=now.input_tokens - before.input_tokens,
            output_tokens=now.output_tokens - before.output_tokens,
            failed=int(any(note.startswith(FAILED[self._kind]) for note in result.notes)),
        )
        return [hit.path for hit in result.hits]

    def _search(self, question: str, k: int, wanted: bool) -> SearchResult:
        switches: dict[str, Any] = dict.fromkeys(HELP, False) | {self._kind: wanted}
        return self._project.search(question, k=k, candidates=self._candidates, **switches)


def _bm25(name: str, corpus: Corpus, kind: str, split: bool = True) -> System:
    scorer = corpus.scorer(f"bm25-{split}", kind, partial(Bm25, split=split))
    return ScoredSystem(name, corpus, scorer)


def _tfidf(name: str, corpus: Corpus, kind: str) -> System:
    return ScoredSystem(name, corpus, corpus.scorer("tfidf", kind, TfIdf))


def _dense(corpus: Corpus, kind: str) -> Scorer:
    return corpus.scorer("dense", kind, lambda t: Dense(t, corpus.embedder(), corpus.cache))


def _embedding(name: str, corpus: Corpus, kind: str) -> System:
    return ScoredSystem(name, corpus, _dense(corpus, kind))


def _paper(name: str, corpus: Corpus, kind: str) -> System:
    lexical = corpus.scorer("tfidf", kind, TfIdf)
    return ScoredSystem(name, corpus, MinMaxSum(lexical, _dense(corpus, kind)))


def _minmax(name: str, corpus: Corpus, kind: str) -> System:
    lexical = corpus.scorer("bm25-True", kind, Bm25)
    return ScoredSystem(name, corpus, MinMaxSum(lexical, _dense(corpus, kind)))


def _helped(name: str, corpus: Corpus, kind: str, help: str) -> System:
    return HelpedSystem(name, corpus, help)


def _search(name: str, corpus: Corpus, kind: str, hops: int | None = None) -> System:
    return SearchSystem(name, corpus, hops)


def _short_forms(name: str, corpus: Corpus, kind: str, dictionary: bool) -> System:
    return ShortFormSystem(name, corpus, None, dictionary)


@dataclass(frozen=True, slots=True)
class Entry:
    """How to make a system: its maker, the text it reads ("" for the index) and one line on it."""

    make: Callable[[str, Corpus, str], System]
    text: str
    about: str


SYSTEMS: dict[str, Entry] = {
    "bm25": Entry(_bm25, "code", "BM25, identifiers split and stemmed, over path and text"),
    "bm25-plain": Entry(partial(_bm25, split=False), "code", "BM25 over whole words"),
    "tfidf": Entry(_tfidf, "code", "sublinear TF-IDF, identifiers split and stemmed"),
    "embedding": Entry(_embedding, "explanations", "embedding of each file's explanation"),
    "tfidf-embedding": Entry(
        _paper, "explanations", "the paper's baseline: TF-IDF and embedding, min-max, averaged"
    ),
    "minmax": Entry(_minmax, "explanations", "min-max sum of BM25 and embedding"),
    "hdlgraph": Entry(_search, "", "this tool with the hops of the settings"),
    "hdlgraph-h0": Entry(partial(_search, hops=0), "", "this tool without the graph"),
    "hdlgraph-h1": Entry(partial(_search, hops=1), "", "this tool, one hop"),
    "hdlgraph-h2": Entry(partial(_search, hops=2), "", "this tool, two hops"),
    "hdlgraph-no-abbreviations": Entry(
        partial(_short_forms, dictionary=False), "", "this tool, the question's own words alone"
    ),
    "hdlgraph-dictionary": Entry(
        partial(_short_forms, dictionary=True), "", "this tool, short and long forms both ways"
    ),
    "hdlgraph-rewrite": Entry(
        partial(_helped, help="rewrite"), "", "the question also in the model's words"
    ),
    "hdlgraph-decompose": Entry(
        partial(_helped, help="decompose"), "", "also its module, block and signal parts"
    ),
    "hdlgraph-rerank": Entry(
        partial(_helped, help="rerank"), "", "the best 20 files reordered by the model"
    ),
}

DEFAULT = ("bm25", "tfidf-embedding", "minmax", "hdlgraph")


def make_system(name: str, corpus: Corpus) -> System:
    """Returns the system called NAME or NAME:TEXT over a corpus.

    Raises:
        UsageError: no such system, or it reads no such text.
    """
    check_systems([name])
    base, _, text = name.partition(":")
    entry = SYSTEMS[base]
    return entry.make(name, corpus, text or entry.text)


def check_systems(names: Sequence[str]) -> None:
    """Raises UsageError that lists every unknown or repeated system name."""
    problems = [_problem(name) for name in names]
    problems += [f"system {n}: named twice" for n in dict.fromkeys(names) if names.count(n) > 1]
    if not names:
        problems = ["no system named"]
    if any(problems):
        raise UsageError(
            "; ".join(filter(None, problems))
            + f" (known: {', '.join(SYSTEMS)}; baselines also as NAME:code, NAME:explanations)"
        )


def check_model(names: Sequence[str], project: Project) -> None:
    """Raises UsageError when a system needs a language model and none is configured."""
    needy = [name for name in names if name.removeprefix("hdlgraph-") in HELP]
    if needy and project.settings.llm.provider == "none":
        raise UsageError(
            f"system {', '.join(needy)}: needs a language model, and none is configured; name one "
            "in the `llm` section of a settings file and give that with --settings"
        )


def _problem(name: str) -> str:
    base, colon, text = name.partition(":")
    if base not in SYSTEMS:
        near = difflib.get_close_matches(base, SYSTEMS, n=1)
        return f"system {name}: unknown" + (f", did you mean {near[0]}?" if near else "")
    if colon and not SYSTEMS[base].text:
        return f"system {name}: reads the index, so it takes no text"
    if colon and text not in TEXTS:
        return f"system {name}: reads {' or '.join(TEXTS)}, not {text!r}"
    return ""
