"""What one elaboration reads: its files in order, and the job for the process that elaborates."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import msgspec

from hdlgraph.index.elaborate.choices import close
from hdlgraph.index.elaborate.closure import Closure
from hdlgraph.index.elaborate.compilation import Job
from hdlgraph.index.elaborate.design import PACKAGE, Design
from hdlgraph.index.elaborate.order import order
from hdlgraph.index.elaborate.texts import Text, read_texts, stand_ins, with_headers


@dataclass(frozen=True, slots=True)
class Asked:
    """What a user asks of an elaboration: tops as rows of the graph, and its options."""

    tops: tuple[int, ...]
    parameters: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """The files that a design needs, their contents' digests, and the job made of them.

    `sources` of the `files` are compiled, the rest are headers.
    """

    found: Closure
    files: tuple[tuple[str, str], ...]
    sources: int
    job: Job
    stand_ins: dict[str, str]

    @property
    def digest(self) -> str:
        """Returns a digest of everything that the elaborator is given."""
        return hashlib.sha256(msgspec.msgpack.encode(self.job)).hexdigest()


class Planner:
    """Makes plans for one repository; a file is read once."""

    def __init__(self, root: Path, design: Design, roles: Mapping[str, str]) -> None:
        self._root, self._design, self._roles = root, design, roles
        self._texts: dict[str, Text] = {}

    def plan(self, asked: Asked, memory_mb: int, *, near_top: bool) -> Plan:
        """Returns the plan of an elaboration; see `close` for `near_top`.

        Raises:
            HdlgraphError: the design is larger than one may be.
        """
        names = [define.partition("=")[0].partition("(")[0] for define in asked.defines]
        found = close(self._design, asked.tops, self._roles, names, near_top=near_top)
        sources = order(found, self._design.files_of(PACKAGE))
        below = set().union(*found.headers().values()) if found.sources else set()
        headers = sorted(below - set(sources))
        self._read([*sources, *headers])
        texts = with_headers({path: self._texts[path].text for path in (*sources, *headers)}, found)
        made = stand_ins(self._design, found, texts)
        job = Job(
            texts=(*((path, texts[path]) for path in sources), *sorted(made.items())),
            headers=tuple((path, texts[path]) for path in headers),
            tops=tuple(self._design.names[row] for row in asked.tops),
            parameters=asked.parameters,
            defines=tuple(_define(one) for one in asked.defines),
            real={name: name.rpartition("@")[0] for name in sorted(made)},
            memory_mb=memory_mb,
            modules=tuple(path for path in sources if self._is_modules(path)),
        )
        files = tuple((path, self._texts[path].sha256) for path in (*sources, *headers))
        instead = {name.rpartition("@")[2]: name.rpartition("@")[0] for name in made}
        return Plan(found, files, len(sources), job, self._places(found, instead))

    def _is_modules(self, path: str) -> bool:
        """Returns whether a file declares modules and nothing else that others could use."""
        held = self._design.held(path)
        return bool(held) and held <= {"module", "macro"}

    def _places(self, found: Closure, made: Mapping[str, str]) -> dict[str, str]:
        return {name: self._design.place(found.alike[name]) for name in sorted(made)}

    def _read(self, paths: Sequence[str]) -> None:
        fresh = [path for path in paths if path not in self._texts]
        self._texts |= read_texts(self._root, fresh)


def key_of(plans: Sequence[Plan], program: str) -> str:
    """Returns a digest of all that the result of an elaboration depends on.

    Args:
        plans: those that are tried.
        program: a digest of hdlgraph's own code.
    """
    parts = [program, f"pyslang {version('pyslang')}", *(plan.digest for plan in plans)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _define(text: str) -> str:
    name, equals, value = text.partition("=")
    return f"{name}={value if equals else 1}"
