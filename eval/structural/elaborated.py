"""Elaborates a design with pyslang, from the files that `hdlgraph elaborate` finds for it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hdlgraph.index.elaborate.compilation import Compiled, Job
from hdlgraph.index.elaborate.plan import Asked, Planner
from hdlgraph.index.elaborate.run import Limits, better
from hdlgraph.index.elaborate.tops import named_tops
from hdlgraph.project import Project

MEMORY_MB, SECONDS = 8_000, 600
"""Limits of the process that counts errors."""


def say(text: str) -> None:
    """Prints a line."""
    sys.stdout.write(text + "\n")


def job_of(project: Project, top: str, defines: tuple[str, ...] = ()) -> tuple[Job, dict[str, str]]:
    """Returns what `hdlgraph elaborate` compiles for a top: files in order, headers, stand-ins.

    Of its two ways to choose among definitions of a name the one that leaves fewer errors. With
    it the names of the units that stand in for undefined ones, by these.

    Raises:
        UsageError: there is no such top.
    """
    context, limits = project._context(), Limits(MEMORY_MB, SECONDS)
    planner = Planner(context.root, context.design, context.roles)
    asked = Asked(tuple(named_tops(context.design, [top])), (), defines)
    plans = [planner.plan(asked, MEMORY_MB, near_top=near) for near in (False, True)]
    same = plans[0].digest == plans[1].digest
    best = plans[0 if same else better(context.root, plans, limits)]
    return best.job, {name: context.design.names[r] for name, r in best.found.alike.items()}


class Elaborated:
    """A design that pyslang elaborated: `bodies` are its instance bodies, each once."""

    def __init__(self, project: Project, top: str, defines: tuple[str, ...] = ()) -> None:
        from pyslang import analysis

        job, self._stand_ins = job_of(project, top, defines)
        compiled = Compiled(job)
        compiled.elaborate()
        self.places, self.compilation = compiled.places, compiled.compilation
        self.files = [path for path, _ in job.texts if path not in job.real]
        self.tops = list(self.compilation.getRoot().topInstances)
        self.errors = compiled.messages(())[0].get("error", 0)
        self.analysis = analysis.AnalysisManager(analysis.AnalysisOptions())
        self.analysis.analyze(self.compilation)

    def bodies(self) -> Iterator[tuple[str, str, Any]]:
        """Yields (path, unit, body) of every distinct instance body."""
        from pyslang import ast

        seen: set[int] = set()
        waiting = list(self.tops)
        while waiting:
            instance = waiting.pop()
            body = instance.canonicalBody or instance.body
            if id(body) in seen:
                continue
            seen.add(id(body))
            self._kept = getattr(self, "_kept", [])
            self._kept.append(body)  # an id is its own only while the object lives
            definition = instance.definition
            path = self.path_of(definition.location)
            if path:
                yield path, self._stand_ins.get(definition.name, definition.name), body
            waiting += [one for one in members(body) if isinstance(one, ast.InstanceSymbol)]

    def path_of(self, location: Any) -> str:
        """Returns the path of a location relative to the root, of a stand-in that of its file."""
        return self.places.of(location)[0]

    def line_of(self, location: Any) -> int:
        """Returns the line of a location, of the use of a macro for what one makes."""
        return self.places.of(location)[1]


def members(scope: Any) -> Iterator[Any]:
    """Yields the members of an instance body and of its generate blocks and arrays."""
    from pyslang import ast

    waiting = [scope]
    while waiting:
        for one in waiting.pop():
            if isinstance(one, ast.GenerateBlockSymbol):
                if not one.isUninstantiated:
                    waiting.append(one)
            elif isinstance(one, ast.GenerateBlockArraySymbol | ast.InstanceArraySymbol):
                waiting.append(one)
            else:
                yield one


def for_tops(about: str | None, measure: Callable[[Path, Path, str, int], None]) -> None:
    """Reads the command line of a measure, and calls it for each top.

    Args:
        about: the measure's docstring, whose first line is its help.
        measure: called with repository, index folder, top, and how many differences it lists.
    """
    name = f"python -m hdlgraph.eval.structural.{Path(sys.argv[0]).stem}"
    parser = argparse.ArgumentParser(name, description=(about or "").split("\n")[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("tops", nargs="+")
    parser.add_argument("--worst", type=int, default=0, help="differences that are listed")
    given = parser.parse_args()
    for top in given.tops:
        measure(given.root, given.index, top, given.worst)
