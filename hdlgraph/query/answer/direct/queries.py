"""The exact answers of a project that direct answers are made of, as a protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from hdlgraph.graph.graph import Graph
from hdlgraph.model import Explanation
from hdlgraph.query.answer.context import Sources

if TYPE_CHECKING:
    from hdlgraph.query.signals.records import Check, Clock, Reset
    from hdlgraph.query.verification.find import Verification


class Queries(Protocol):
    """The exact answers of a project; `hdlgraph.project.Project` gives them."""

    def graph(self) -> Graph:
        """Returns the design graph."""
        ...

    def explanations(self) -> Mapping[str, Explanation]:
        """Returns what each file is described as, by path."""
        ...

    def sources(self) -> Sources:
        """Returns the texts, the explanations and the machines that answers are made from."""
        ...

    def trace(
        self, name: str, directions: Sequence[str] = ..., depth: int = ..., limit: int = ...
    ) -> dict[str, Any]:
        """Returns what drives and reads a signal."""
        ...

    def driven_outside(self, unit: str, signal: str) -> list[dict[str, Any]]:
        """Returns the lines that assign a signal of an interface from outside of it."""
        ...

    def show(self, name: str, limit: int | None = ...) -> dict[str, Any]:
        """Returns what a name is."""
        ...

    def who(self, name: str, limit: int | None = ...) -> dict[str, Any]:
        """Returns who uses a name."""
        ...

    def path(self, source: str, target: str, limit: int = ...) -> dict[str, Any]:
        """Returns the shortest walks between two names."""
        ...

    def fsm(self, unit: str) -> dict[str, Any]:
        """Returns the state machines of a unit."""
        ...

    def crossings(
        self, name: str, kind: str = ..., limit: int = ..., seconds: float = ...
    ) -> dict[str, Any]:
        """Returns where data of one clock reaches a register of another below a unit."""
        ...

    def regions(self) -> list[str]:
        """Returns the names of the regions of addresses."""
        ...

    def reach(self, asked: str) -> dict[str, Any]:
        """Returns who reaches an address, a block or a register."""
        ...

    def registers(self, name: str = ..., limit: int = ...) -> dict[str, Any]:
        """Returns blocks of registers, each field with its lines of RTL."""
        ...

    def verification(self) -> Verification | None:
        """Returns what is known of testbenches, None where the index knows nothing of them."""
        ...

    def clocks(self, unit: str) -> list[Clock]:
        """Returns the clocks of a unit with the registers of each."""
        ...

    def resets(self, unit: str) -> list[Reset]:
        """Returns the resets of a unit with the values that registers get."""
        ...

    def checks(self, unit: str) -> list[Check]:
        """Returns the assertions, covergroups and error messages of a unit."""
        ...

    def holding(self, name: str) -> list[str]:
        """Returns the files whose text holds a name, by path."""
        ...
