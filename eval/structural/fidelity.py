r"""How true the graph is: instances, connections, overrides and definitions against elaboration.

    python -m hdlgraph.eval.structural.fidelity --repo ibex=FOLDER --index ibex=INDEX \
        --top ibex=ibex_top

Each top is elaborated by slang from the files that the graph finds from it. Lines under an `ifdef
that is off are compared with nothing. One table is printed,
a row a repository, and with --json the counts and what differs. --other NAME=FILE sets another
builder of such graphs beside it: FILE is what `hdl-kgraph export --format json` wrote.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from hdlgraph.errors import telling_errors
from hdlgraph.eval.structural.beside import facts_of_other
from hdlgraph.eval.structural.close import close, top_of
from hdlgraph.eval.structural.compare import Score, compare, facts_of
from hdlgraph.eval.structural.listed import listed
from hdlgraph.eval.structural.off import unseen
from hdlgraph.graph.graph import Graph
from hdlgraph.safety import child_process
from hdlgraph.store.manifest import read_manifest

LISTS = "take the files from the cores, packages and filelists of the repository"
MEMORY_MB, SECONDS = 8_000, 600
COLUMNS = ("instances", "ports", "connections", "overrides", "definitions", "contested")


@telling_errors
def main(arguments: list[str] | None = None) -> int:
    """Prints the table of the repositories asked for; returns the exit code."""
    parser = argparse.ArgumentParser(
        "python -m hdlgraph.eval.structural.fidelity", description=__doc__
    )
    parser.add_argument("--repo", action="append", default=[], metavar="NAME=FOLDER")
    parser.add_argument("--index", action="append", default=[], metavar="NAME=FOLDER")
    parser.add_argument("--top", action="append", default=[], metavar="NAME=TOP,TOP")
    parser.add_argument("--define", action="append", default=[], metavar="NAME=MACRO")
    parser.add_argument("--other", action="append", default=[], metavar="NAME=EXPORT")
    parser.add_argument("--lists", action="store_true", help=LISTS)
    parser.add_argument("--json", metavar="FILE", type=Path)
    asked = parser.parse_args(arguments)
    repos, indexes, tops = (_pairs(asked.repo), _pairs(asked.index), _pairs(asked.top))
    others = _pairs(asked.other)
    found: dict[str, Any] = {}
    sys.stdout.write(_heading() + "\n")
    for name, folder in repos.items():
        defines = [one.partition("=")[2] for one in asked.define if one.startswith(f"{name}=")]
        graph = load(Path(indexes[name]))
        other = Path(others[name]) if name in others else None
        wanted = tops.get(name, "").split(",")
        one = measure(graph, Path(folder), wanted, defines, asked.lists, other)
        found[name] = one
        sys.stdout.write(_row(name, one, "scores") + "\n")
        if other:
            sys.stdout.write(_row("  hdl-kgraph", one, "other") + "\n")
        sys.stdout.flush()
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    return 0


def load(index: Path) -> Graph:
    """Returns the graph of the newest generation of an index."""
    return Graph.load(index / f"gen-{read_manifest(index).generation}")


def measure(
    graph: Graph,
    root: Path,
    tops: list[str],
    defines: list[str],
    lists: bool = False,
    other: Path | None = None,
) -> dict[str, Any]:
    """Returns the scores of all tops together: `scores`, `examples`, `tops`, `other`.

    Args:
        graph: the design graph.
        root: the repository.
        tops: names of units.
        defines: macros, as `NAME` or `NAME=VALUE`.
        lists: whether the files come from the project files of the repository.
        other: the export of hdl-kgraph, which is measured beside.
    """
    scores = others = dict.fromkeys(COLUMNS, Score())
    found: dict[str, Any] = {"tops": {}, "examples": []}
    for name in tops:
        truth = elaborated(graph, root, top_of(graph, name), name, defines, lists)
        if "failed" in truth:
            found["tops"][name] = {"failed": truth["failed"]}
            continue
        bodies = [tuple(one) for one in truth["bodies"]]
        facts = facts_of(graph, bodies)
        hidden = unseen(graph, facts["edges"], truth["off"])
        result = compare(facts, truth, hidden)
        scores = {one: scores[one] + getattr(result, one) for one in COLUMNS}
        if other:
            beside = compare(facts_of_other(other, bodies), truth, hidden)
            others = {one: others[one] + getattr(beside, one) for one in COLUMNS}
        found["tops"][name] = {key: truth[key] for key in ("errors", "first_errors", "files")}
        found["examples"] += result.examples
    found["scores"] = {name: list(score) for name, score in scores.items()}
    if other:
        found["other"] = {name: list(score) for name, score in others.items()}
    return found


def elaborated(
    graph: Graph, root: Path, row: int, top: str, defines: list[str], lists: bool = False
) -> dict[str, Any]:
    """Returns what slang makes of a top, in a process of bounded memory and time."""
    closed = close(graph, row)
    if lists:
        closed = listed(graph, root, row, closed)
    asked = {
        "root": str(root), "files": closed.files, "incdirs": closed.incdirs, "top": top,
        "defines": defines, "memory_mb": MEMORY_MB,
    }  # fmt: skip
    command = child_process.command("hdlgraph.eval.structural.elaborate")
    try:
        done = subprocess.run(
            command, input=json.dumps(asked), capture_output=True, text=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"took more than {SECONDS} s"}
    if done.returncode or not done.stdout:
        return {"failed": done.stderr[-300:] or f"ended with {done.returncode}"}
    return {**json.loads(done.stdout), "files": len(closed.files)}


def _pairs(words: list[str]) -> dict[str, str]:
    return {name: value for name, _, value in (word.partition("=") for word in words)}


def _heading() -> str:
    return f"{'repository':<14}{'files':>6}{'errors':>7}" + "".join(f"{c:>22}" for c in COLUMNS)


def _row(name: str, one: dict[str, Any], of: str) -> str:
    done = [top for top in one["tops"].values() if "failed" not in top]
    files, errors = (sum(top[key] for top in done) for key in ("files", "errors"))
    cells = []
    for column in COLUMNS:
        score = Score(*one[of][column])
        cells.append(f"{score.recall:.4f}/{score.precision:.4f} {score.true:>6}")
    return f"{name:<14}{files:>6}{errors:>7}" + "".join(f"{cell:>22}" for cell in cells)


if __name__ == "__main__":
    raise SystemExit(main())
