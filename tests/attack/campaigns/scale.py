"""Repositories that multiply: one endless line, clones of one folder, copies of a whole corpus."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from campaigns.outcome import Outcome
from hdlgraph.eval.sets.corpora import VERILOG, cache_folder
from hdlgraph.index.link.link import link
from hdlgraph.store.design.facts import read_facts
from hdlgraph.store.folder import Store

LINE, LINE_S = 40_000, 3.0
"""Instances on one line, and seconds in which they are linked."""

CLONES, CLONES_MB = 320, 500.0
"""Files of clones, and MiB of the whole run."""

COPIES, COPIES_RATIO = 3, 3.3
"""Copies of a corpus, and what they may take of the time and memory of one."""

LARGE = ("all16", "riscv-cores", "opentitan")
"""Corpora that together have about 8,000 files."""


def write_line(folder: Path, count: int, name: str = "u{}") -> None:
    """Writes a module with `count` instances on one line; `name` is formatted with the number."""
    folder.mkdir(parents=True, exist_ok=True)
    instances = " ".join(f"leaf {name.format(at)}(.a(w), .y(n{at % 50}));" for at in range(count))
    (folder / "top.v").write_text(
        "module leaf(input a, output y);\n  assign y = ~a;\nendmodule\n"
        f"module top(input w);\n{instances}\nendmodule\n"
    )


def write_clones(folder: Path, files: int, instances: int, edited: bool) -> None:
    """Writes folders of two files each that define the same names; `edited` ones all differ."""
    for at in range(files // 2):
        clone = folder / f"p{at:03d}"
        clone.mkdir(parents=True, exist_ok=True)
        mark = f"// clone {at}\n" if edited else ""
        body = "".join(f"  leaf u{one}(.clk(clk), .d(d), .q(q));\n" for one in range(instances))
        top = f"module top(input clk, input d, output q);\n{body}endmodule\n"
        leaf = "module leaf(input clk, input d, output q);\n  assign q = d;\nendmodule\n"
        (clone / "top.v").write_text(mark + top)
        (clone / "leaf.v").write_text(mark + leaf)


def index(repository: Path, folder: Path) -> dict[str, Any]:
    """Returns the report of a fresh index without vectors in `folder`."""
    command = [sys.executable, "-P", "-m", "hdlgraph.serve.cli.main", "index", str(repository)]
    command += ["--index", str(folder), "--no-embeddings", "--graphrag", "never", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    return json.loads(done.stdout)


def link_seconds(folder: Path) -> float:
    """Returns the processor seconds in which the facts of an index are linked."""
    records = read_facts(Store(folder).hold().folder)
    began = time.process_time()
    link(records)
    return time.process_time() - began


def run(count: int, folder: Path, seed: int) -> list[Outcome]:
    """Returns an outcome for each thing that multiplies; nothing here is left to chance."""
    outcomes = [_line(folder, "u{}"), _line(folder, "u"), _clones(folder, False)]
    outcomes.append(_clones(folder, True))
    corpora = [path for name in LARGE for path in _corpus(name)]
    if corpora:
        outcomes.append(_copies(corpora, folder))
    return outcomes


def _line(folder: Path, name: str) -> Outcome:
    repository = folder / f"line-{len(name)}"
    write_line(repository, LINE, name)
    report = index(repository, folder / "index")
    spent = link_seconds(folder / "index")
    shutil.rmtree(folder / "index")
    failures = []
    if spent > LINE_S:
        failures.append(f"linked in {spent:.1f} s, not {LINE_S:g}")
    if report["nodes"] < LINE:
        failures.append(f"{report['nodes']} nodes: instances were lost")
    what = f"{LINE} instances named {name.format('N')} on one line"
    return Outcome(what, 1, tuple(failures), f"link {spent:.2f} s")


def _clones(folder: Path, edited: bool) -> Outcome:
    repository = folder / f"clones-{edited}"
    write_clones(repository, CLONES, 172, edited)
    report = index(repository, folder / "index")
    shutil.rmtree(folder / "index")
    peak = report["peak_memory_mb"]
    failures = () if peak <= CLONES_MB else (f"{peak:.0f} MiB, not {CLONES_MB:g}",)
    figure = f"{peak:.0f} MiB, {report['edges']} edges"
    return Outcome(f"{CLONES} files of {'edited ' * edited}clones", 1, failures, figure)


def _corpus(name: str) -> list[Path]:
    home = cache_folder() / "corpora"
    return [path for path in (home / name, *sorted(home.glob(f"{name}-*"))) if path.is_dir()][:1]


def _copies(corpora: list[Path], folder: Path) -> Outcome:
    for copy in ("single/a", *(f"copies/{name}" for name in "abc")):
        for source in corpora:
            for path in sorted(source.rglob("*")):
                if path.suffix in VERILOG and path.is_file():
                    target = folder / copy / source.name / path.relative_to(source)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(path, target)
    reports = []
    for name in ("single", "copies"):
        reports.append(index(folder / name, folder / "index"))
        reports[-1]["linking"] = link_seconds(folder / "index")
        shutil.rmtree(folder / "index")
    seconds = [_parse_seconds(report) + report["linking"] for report in reports]
    ratios = {
        "time": seconds[1] / seconds[0],
        "memory": reports[1]["peak_memory_mb"] / reports[0]["peak_memory_mb"],
        "edges": reports[1]["edges"] / reports[0]["edges"],
    }
    failures = tuple(
        f"{what} {ratio:.2f} times that of one copy, not {COPIES_RATIO}"
        for what, ratio in ratios.items()
        if ratio > COPIES_RATIO
    )
    figure = ", ".join(f"{what} x {ratio:.2f}" for what, ratio in ratios.items())
    return Outcome(f"{COPIES} copies of {reports[0]['files']} files", 1, failures, figure)


def _parse_seconds(report: dict[str, Any]) -> float:
    return next(one["seconds"] for one in report["stages"] if one["stage"] == "parse")
