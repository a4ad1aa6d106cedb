"""Rows of the benchmark on retrieval: is the right file first?"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from hdlgraph.eval.bench.workbench import Bench, Row
from hdlgraph.eval.protocols.run import evaluate
from hdlgraph.eval.scores.report import EvalReport

DATA = Path(__file__).parents[1] / "data"


def ibex(bench: Bench) -> list[Row]:
    """Measures for how many of five everyday questions on ibex the right file is first."""
    report = evaluate(bench.index("ibex"), DATA / "ibex-five.jsonl", systems=["bm25", "hdlgraph"])
    bench.evaluations.append(report)
    ranks = report.system("hdlgraph").ranks
    first = sum(rank == 1 for rank in ranks)
    others = sum(rank == 1 for rank in report.system("bm25").ranks)
    return [
        Row(
            "ibex",
            "ibex, five questions, right file first",
            f"{first} of 5 (ranks {' '.join(map(str, ranks))})",
            "5 of 5",
            first == 5,
            f"BM25 in the same run: {others} of 5; published peers: 0 to 3 of 5",
        )
    ]


def opentitan(bench: Bench) -> list[Row]:
    """Measures sixty questions on all of OpenTitan, without imported explanations."""
    return _whole(bench, "opentitan", "opentitan-2021", {1: 0.60, 5: 0.82, 10: 0.90})


def riscv_cores(bench: Bench) -> list[Row]:
    """Measures sixty questions on nine cores together, without imported explanations."""
    return _whole(bench, "riscv-cores", "riscv-cores", {1: 0.58, 5: 0.80, 10: 0.88})


def opentitan_explained(bench: Bench) -> list[Row]:
    """Measures the sample of OpenTitan with imported explanations; it alone is ranked."""
    return _explained(bench, "opentitan", "opentitan-2021", "opentitan-2021-sample145")


def riscv_explained(bench: Bench) -> list[Row]:
    """Measures the sample of the nine cores with imported explanations."""
    return _explained(bench, "riscv-cores", "riscv-cores", "riscv-cores-sample155")


def _whole(bench: Bench, corpus: str, questions: str, expected: dict[int, float]) -> list[Row]:
    report = evaluate(bench.index(corpus), DATA / f"{questions}.jsonl", _systems(bench))
    figure = f"{questions}, {report.n_files} files"
    return _recall_rows(bench, corpus, figure, report, expected)


def _explained(bench: Bench, corpus: str, questions: str, sample: str) -> list[Row]:
    source = DATA / "explanations" / f"{sample}.jsonl"
    folder = bench.index_folder(f"{corpus}-explained")
    whole = bench.index(corpus)
    # A copy of the whole-corpus index: that one stays without imported explanations.
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(whole, folder, ignore=shutil.ignore_patterns("lock"))
    bench.run("explanations", "import", str(source), "--index", str(folder))
    # GraphRAG's tables are never read by a search: not rebuilt for this row.
    root = str(bench.corpus(corpus))
    bench.run("index", root, "--index", str(folder), "--graphrag", "never")
    listed = bench.work / f"{sample}.txt"
    paths = [json.loads(line)["path"] for line in source.read_text().splitlines() if line]
    listed.write_text("".join(f"{path}\n" for path in sorted(paths)))
    report = evaluate(folder, DATA / f"{questions}.jsonl", _systems(bench), corpus=listed)
    name = "riscv-explained" if corpus == "riscv-cores" else f"{corpus}-explained"
    figure = f"{questions}, sample of {report.n_files} files, explanations imported"
    return _recall_rows(bench, name, figure, report, {1: 0.80, 5: 0.97})


def _recall_rows(
    bench: Bench, name: str, figure: str, report: EvalReport, expected: dict[int, float]
) -> list[Row]:
    bench.evaluations.append(report)
    found = report.system("hdlgraph")
    out = []
    for k, share in expected.items():
        strict, lenient = (found.measures[f"{kind}@{k}"] for kind in ("recall", "lenient"))
        others = ", ".join(
            f"{system.name} {system.measures[f'recall@{k}'].mean:.3f}"
            for system in report.systems
            if system.name != "hdlgraph"
        )
        out.append(
            Row(
                name,
                f"{figure}: recall@{k}",
                f"{strict.mean:.3f} [{strict.low:.3f}-{strict.high:.3f}], "
                f"lenient {lenient.mean:.3f}",
                f">= {share:.2f}",
                # Shares of whole questions: no float noise may decide at the threshold itself.
                strict.mean >= share - 1e-9,
                f"same run: {others}; MRR {found.measures['mrr'].mean:.3f}",
            )
        )
    return out


def _systems(bench: Bench) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*bench.systems, "hdlgraph")))
