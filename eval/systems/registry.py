"""The registry of the systems under comparison, behind one small protocol (`System`).

A system is named NAME or NAME:TEXT; TEXT (`code` or `explanations`) says what a baseline reads,
where its default would read the other one.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from hdlgraph.errors import UsageError
from hdlgraph.eval.systems import own, plain
from hdlgraph.eval.systems.candidates import Corpus, System
from hdlgraph.eval.systems.graphrag_local import graphrag_local
from hdlgraph.eval.systems.lightrag import lightrag
from hdlgraph.eval.systems.own import ABLATIONS, HELP

if TYPE_CHECKING:
    from hdlgraph.project import Project

__all__ = ["ABLATIONS", "DEFAULT", "HELP", "SYSTEMS", "TEXTS", "Corpus", "Entry", "System"]

TEXTS = ("code", "explanations")


@dataclass(frozen=True, slots=True)
class Entry:
    """How to make a system: its maker, the text it reads ("" for the index) and one line on it."""

    make: Callable[[str, Corpus, str], System]
    text: str
    about: str


PLAIN: dict[str, Entry] = {
    "bm25": Entry(plain.bm25, "code", "BM25, identifiers split and stemmed, over path and text"),
    "bm25-plain": Entry(plain.bm25_plain, "code", "BM25 over whole words"),
    "bm25-fields": Entry(plain.bm25_fields, "", "BM25 over text and explanation, min-max sum"),
    "tfidf": Entry(plain.tfidf, "code", "sublinear TF-IDF, identifiers split and stemmed"),
    "embedding": Entry(plain.embedding, "explanations", "embedding of each file's explanation"),
    "tfidf-embedding": Entry(
        plain.paper,
        "explanations",
        "the paper's baseline: TF-IDF and embedding, min-max, averaged",
    ),
    "minmax": Entry(plain.minmax, "explanations", "min-max sum of BM25 and embedding"),
    "rrf": Entry(
        plain.rrf, "explanations", "reciprocal rank fusion (k 60) of BM25 over code, and embedding"
    ),
    "minmax-fields": Entry(
        plain.minmax_fields, "", "min-max sum of BM25 over text and explanation, and embedding"
    ),
}

PEERS: dict[str, Entry] = {
    "graphrag-local": Entry(graphrag_local, "", "Microsoft GraphRAG's local search, no model"),
    "lightrag-low": Entry(
        partial(lightrag, mode="local"), "", "LightRAG over this graph: entities, no model"
    ),
    "lightrag-high": Entry(
        partial(lightrag, mode="global"), "", "LightRAG over this graph: relations, no model"
    ),
    "lightrag": Entry(
        partial(lightrag, mode="hybrid"), "", "LightRAG over this graph: both levels, no model"
    ),
}

OWN: dict[str, Entry] = {
    "hdlgraph": Entry(own.search, "", "this tool with the hops of the settings"),
    "hdlgraph-folded": Entry(
        own.search_folded,
        "",
        "this tool, files that are nearly the same as one hit; lenient: any file of it counts",
    ),
    "hdlgraph-h0": Entry(partial(own.search, hops=0), "", "this tool, no edge walked"),
    "hdlgraph-h1": Entry(partial(own.search, hops=1), "", "this tool, one hop"),
    "hdlgraph-h2": Entry(partial(own.search, hops=2), "", "this tool, two hops"),
    "hdlgraph-no-graph": Entry(
        partial(own.without, part="graph"), "", "this tool without the graph, instances unread too"
    ),
    "hdlgraph-no-dense": Entry(
        partial(own.without, part="dense"), "", "this tool without vectors of any kind"
    ),
    "hdlgraph-no-token-vectors": Entry(
        partial(own.without, part="token-vectors"), "", "this tool without token vectors"
    ),
    "hdlgraph-no-lexical": Entry(
        partial(own.without, part="lexical"), "", "this tool without counts of words"
    ),
    "hdlgraph-no-roles": Entry(
        partial(own.without, part="roles"), "", "this tool, test files like all others"
    ),
    "hdlgraph-no-names": Entry(
        partial(own.without, part="names"), "", "this tool, names in questions like other words"
    ),
    "hdlgraph-no-structures": Entry(
        partial(own.without, part="structures"), "", "this tool, well-known structures unknown"
    ),
    "hdlgraph-no-thesaurus": Entry(
        own.without_thesaurus, "", "this tool without related everyday words"
    ),
    "hdlgraph-no-abbreviations": Entry(
        partial(own.short_forms, dictionary=False), "", "this tool, the question's own words alone"
    ),
    "hdlgraph-dictionary": Entry(
        partial(own.short_forms, dictionary=True), "", "this tool, short and long forms both ways"
    ),
    "hdlgraph-reword": Entry(
        partial(own.helped, help="reword"), "", "the question also in the model's words"
    ),
    "hdlgraph-decompose": Entry(
        partial(own.helped, help="decompose"), "", "also its module, block and signal parts"
    ),
    "hdlgraph-rerank": Entry(
        partial(own.helped, help="rerank"), "", "the best 36 files reordered by the model"
    ),
}

SYSTEMS: dict[str, Entry] = PLAIN | PEERS | OWN

DEFAULT = ("bm25", "tfidf-embedding", "minmax-fields", "hdlgraph")


def make_system(name: str, corpus: Corpus) -> System:
    """Returns the system called NAME or NAME:TEXT over a corpus.

    Raises:
        UsageError: no such system, it reads no such text, or what it needs is not there.
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
        fixed = "reads code and explanations" if base in PLAIN else "reads the index"
        return f"system {name}: {fixed}, so it takes no text"
    if colon and text not in TEXTS:
        return f"system {name}: reads {' or '.join(TEXTS)}, not {text!r}"
    return ""
