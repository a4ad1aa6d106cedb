"""What the rows of the benchmark share: the record of a figure, and the folder they work in."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from hdlgraph.errors import HdlgraphError
from hdlgraph.eval.bench.process import Ended, hdlgraph_command, watch
from hdlgraph.eval.scores.report import EvalReport
from hdlgraph.eval.sets.corpora import materialise


@dataclass(frozen=True, slots=True)
class Row:
    """One figure. `note` says how it was measured or what stands beside it.

    `expected` is what earlier runs measured, with some room: a row fails when it got worse.
    """

    name: str
    figure: str
    measured: str
    expected: str
    passed: bool
    note: str = ""


@dataclass
class Bench:
    """The work folder of a run: repositories, indexes, and what each `index` call gave."""

    work: Path
    cache: Path | None = None
    systems: tuple[str, ...] = ("bm25", "hdlgraph")
    evaluations: list[EvalReport] = field(default_factory=list)
    ready: dict[str, Path] = field(default_factory=dict)

    def corpus(self, name: str) -> Path:
        """Returns the folder of a corpus; no row writes into it."""
        return materialise(name, self.cache)

    def index_folder(self, name: str) -> Path:
        """Returns where the index `name` of this bench is kept."""
        return self.work / "index" / name

    def index(self, corpus: str, *options: str) -> Path:
        """Returns an up-to-date default index of a corpus; made once a run, kept between runs."""
        if corpus not in self.ready:
            folder = self.index_folder(corpus)
            self.run("index", str(self.corpus(corpus)), "--index", str(folder), *options)
            self.ready[corpus] = folder
        return self.ready[corpus]

    def run(self, *arguments: str, memory: bool = False) -> Ended:
        """Runs one `hdlgraph` command.

        Raises:
            HdlgraphError: it crashed or was used wrongly (exit code 1, finished with failures,
                is a result).
        """
        done = watch([*hdlgraph_command(), *arguments], memory=memory)
        if done.code not in (0, 1):
            last_line = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
            raise HdlgraphError(
                f"hdlgraph {arguments[0]} ended with {done.code}: {' '.join(last_line)}"
            )
        return done
