"""The blocks of README.md as Markdown, each from stored runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hdlgraph.eval.figures.stored import OWN, Stored
from hdlgraph.eval.scores.tables import number

Benches = Mapping[str, Stored]
"""Stored benchmarks by name: `suite` and `no-projects`."""

STRONGEST = "minmax-fields"
"""The plain method that is strongest on the two development sets."""

SETS = ("opentitan-2021", "riscv-cores")
SAMPLES = ("opentitan-2021-written", "riscv-cores-written")
FURTHER = {
    "further": "over the same files (`opentitan-training`, `riscv-cores-training`)",
    "other-repositories": "over other repositories of 39 to 354 files (`libraries-`, "
    "`cv32e40s-`, `marocchino-training`)",
    "held-out": "held out, small repositories, nothing set while looking at them (`*-held-out`)",
}
PLAIN = {
    "bm25": "BM25, identifiers split, stemmed",
    "bm25-fields": "BM25 over two fields: text, explanation",
    "embedding": "bge-small over explanations",
    "tfidf-embedding": "TF-IDF + embedding of explanations (the paper's baseline)",
    "rrf": "reciprocal rank fusion of BM25 and embedding",
    STRONGEST: "min-max sum of BM25 over fields and embedding (the strongest plain method)",
}
EXPLAINED = {
    "tfidf-embedding": "TF-IDF + embedding, min-max, averaged",
    "minmax": "BM25 + embedding, min-max sum",
    STRONGEST: "BM25 over fields + embedding, min-max sum",
}
HOPS = {f"{OWN}-no-graph": "no edge walked", f"{OWN}-h2": "2 hops"}


def provenance(benches: Benches) -> str:
    """Returns when, where and by which command the figures of retrieval were measured."""
    suite = benches["suite"]
    machine = suite.machine
    return (
        f"Retrieval was measured on {suite.date} on {machine['cpus']} cores with "
        f"{machine['memory_gb']} GB, Python {machine['python']},\n"
        f"at commit {suite.commit}, offline. `make figures` writes the tables of retrieval from "
        "the runs stored in\n[eval/figures](eval/figures), which name their commands.\n"
    )


def retrieval(benches: Benches) -> str:
    """Returns the table of all files: plain methods, hdlgraph and its hops, on the two sets."""
    runs = [benches["suite"].runs[name] for name in SETS]
    heads = [f"{name} ({run.files:,} files)" for name, run in zip(SETS, runs, strict=True)]
    rows = [[text, *(_marks(run.systems[name]) for run in runs)] for name, text in PLAIN.items()]
    rows.append(["**hdlgraph**, 1 hop", *(f"**{_marks(run.systems[OWN])}**" for run in runs)])
    for name, text in HOPS.items():
        rows.append([f"hdlgraph, {text}", *(_marks(run.systems[name]) for run in runs)])
    return _table(["whole corpus: recall@1 / @5 / @10 / MRR", *heads], rows)


def pooled(benches: Benches) -> str:
    """Returns the sentence on both development sets together against the strongest method."""
    found = benches["suite"].pools["development"].against[STRONGEST]
    return (
        f"Both sets pooled ({found.n} questions), against the strongest plain method: "
        f"{_points(found.difference)} points of recall@1\n"
        f"(95 % {_points(found.low)} to {_points(found.high)}, paired bootstrap {_p(found.p)}; "
        f"{found.wins} questions won, {found.losses} lost).\n"
    )


def further(benches: Benches) -> str:
    """Returns the table of the further question sets, pooled by what they are about."""
    rows = []
    for name, text in FURTHER.items():
        pool = benches["suite"].pools[name]
        lead = pool.against[STRONGEST]
        cells = [
            f"{number(pool.means[one]['recall@1'])} / {number(pool.means[one]['recall@5'])}"
            for one in ("bm25", "bm25-fields", STRONGEST, OWN)
        ]
        cells[-1] = f"**{cells[-1]}**"
        interval = f"{_points(lead.difference)} ({_points(lead.low)} to {_points(lead.high)})"
        rows.append([f"{lead.n} {text}", *cells, f"{interval}, {_p(lead.p)}"])
    head = ["recall@1 / @5", "BM25", "BM25 over text and explanation", "strongest plain method"]
    return _table([*head, "hdlgraph", "lead over the strongest at rank 1"], rows)


def explained(benches: Benches) -> str:
    """Returns the table of the samples with imported explanations."""
    runs = [benches["suite"].runs[name] for name in SAMPLES]
    rows = [
        [text, *(_marks(run.systems[name], three=True) for run in runs)]
        for name, text in EXPLAINED.items()
    ]
    cells = (f"**{_marks(run.systems[OWN], three=True)}**" for run in runs)
    rows.append(["**hdlgraph**, 1 hop", *cells])
    for name, text in HOPS.items():
        marks = (_marks(run.systems[name], three=True) for run in runs)
        rows.append([f"hdlgraph, {text}", *marks])
    head = "explained samples (model-written explanations imported): @1 / @5 / MRR"
    return _table([head, *(f"{run.files} files" for run in runs)], rows)


def projects(benches: Benches) -> str:
    """Returns the table of hdlgraph with the names of projects and without them."""
    off = benches["no-projects"]
    rows = []
    for name, without in off.runs.items():
        run = benches["suite"].runs[name]
        cells = [_marks(one.systems[OWN], three=True) for one in (run, without)]
        rows.append([f"{name} ({run.questions} questions, {run.files:,} files)", *cells])
    head = "hdlgraph, recall@1 / @5 / MRR"
    return _table([head, "`knowledge.projects: auto`", "`never`"], sorted(rows))


BLOCKS: dict[str, Callable[[Benches], str]] = {
    "figures:provenance": provenance,
    "figures:retrieval": retrieval,
    "figures:pooled": pooled,
    "figures:further": further,
    "figures:explained": explained,
    "figures:projects": projects,
}
"""Name of a block -> what writes it."""

BENCHES = ("suite", "no-projects")
"""The stored benchmarks that the blocks are written from."""


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(cells)} |\n" for cells in (head, *rows)]
    return "".join([lines[0], "|---" * len(head) + "|\n", *lines[1:]])


def _marks(means: Mapping[str, float], three: bool = False) -> str:
    middle = () if three else ("recall@10",)
    names = ("recall@1", "recall@5", *middle, "mrr")
    return " / ".join(number(means[name]) for name in names)


def _points(share: float) -> str:
    return f"{100 * share:+.1f}"


def _p(value: float) -> str:
    text = f"{value:.4f}" if value < 0.001 else f"{value:.3f}" if value < 0.1 else f"{value:.2f}"
    return f"p = {text.removeprefix('0')}"
