"""What may be asked: the parameters of each request, with their bounds, checked in one place.

The OpenAPI document is written from the same definitions.
"""

from __future__ import annotations

from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
)

import msgspec
from msgspec import Meta

from hdlgraph.errors import UsageError

if TYPE_CHECKING:
    pass


Question = Annotated[
    str, Meta(min_length=1, max_length=4000, description="A question in your own words.")
]
Config = Annotated[
    str, Meta(max_length=100, description="A configuration of `hdlgraph elaborate`.")
]
Name = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=500,
        description="A unit, file, type, macro or parameter; ports are UNIT.PORT.",
    ),
]
Path = Annotated[
    str, Meta(min_length=1, max_length=1000, description="A file, relative to the repository.")
]
Word = Annotated[str, Meta(min_length=1, max_length=60)]
Roles = Annotated[list[Word], Meta(max_length=8, description="Only files of these roles.")]


class Asked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question and which files may answer it."""

    q: Question
    k: Annotated[int, Meta(ge=1, le=100, description="Files wanted.")] | None = None
    hops: Annotated[int, Meta(ge=0, le=2, description="Edges walked.")] | None = None
    role: Roles = []
    fold: bool = True
    rerank: Annotated[bool, Meta(description="Let the model reorder the files.")] | None = None

    def options(self) -> dict[str, Any]:
        """Returns the options of `Project.search`, and of `Project.ask`."""
        plain = {"k": self.k, "hops": self.hops, "fold": self.fold, "rerank": self.rerank}
        return {**plain, "roles": tuple(self.role)}


class Search(Asked, frozen=True, forbid_unknown_fields=True):
    """Find the files that answer a question, best first, and passages of documents."""

    kind: Literal["all", "rtl", "doc", "register"] = "all"
    passages: Annotated[int, Meta(ge=1, le=100, description="Passages wanted.")] | None = None

    def options(self) -> dict[str, Any]:
        """Returns the options of `Project.search`."""
        return {**super().options(), "kind": self.kind, "passages": self.passages}


class Ask(Asked, frozen=True, forbid_unknown_fields=True):
    """Answer a question from the repository, with citations."""

    writer: Literal["auto", "extractive", "model"] | None = None


class Show(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Show what a name is: definitions, ports, parameters, instances, users."""

    name: Name
    config: Config = ""


class Named(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Show what a name is in all repositories of the workspace; REPOSITORY:NAME for one's own."""

    name: Name


class Links(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """List the repositories of the workspace, what one uses of another, and what both have."""

    limit: Annotated[int, Meta(ge=1, le=1000, description="Names listed of each two.")] = 20


class Who(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """List who uses a name."""

    name: Name
    limit: Annotated[int, Meta(ge=1, le=10_000, description="Users listed.")] = 200


class Tree(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Show the instances below a unit, or below every top."""

    unit: Annotated[str, Meta(max_length=500, description="A unit; all tops if empty.")] = ""
    top: Annotated[str, Meta(max_length=500, description="The same by its former name.")] = ""
    depth: Annotated[int, Meta(ge=1, le=100, description="Levels shown.")] = 3
    config: Config = ""

    def below(self) -> str:
        """Returns the unit that is meant, "" for all tops.

        Raises:
            UsageError: `unit` and `top` name two.
        """
        if self.unit and self.top and self.unit != self.top:
            raise UsageError("`unit` and `top` mean the same: give one of them")
        return self.unit or self.top


class Level(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """List one level of the hierarchy in pages: the instances of a unit, or the tops."""

    unit: Annotated[str, Meta(max_length=1200, description="A unit; the tops if empty.")] = ""
    start: Annotated[int, Meta(ge=0, le=10_000_000, description="Entries passed over.")] = 0
    limit: Annotated[int, Meta(ge=1, le=1000, description="Entries listed.")] = 100
    cells: Annotated[bool, Meta(description="List the library cells, which are else folded.")] = (
        False
    )


class Walk(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Show how two names are connected."""

    source: Name
    target: Name
    limit: Annotated[int, Meta(ge=1, le=20, description="Walks shown.")] = 3


class Impact(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """List what may be affected when a name changes."""

    name: Name
    depth: Annotated[int, Meta(ge=1, le=50, description="Greatest distance.")] = 3
    limit: Annotated[int, Meta(ge=1, le=1000, description="Units and files shown.")] = 200


class Trace(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Show what drives a signal and what it goes into, across units."""

    name: Annotated[
        str,
        Meta(min_length=1, max_length=500, description="NAME, UNIT.NAME or a path of instances."),
    ]
    direction: Literal["both", "drivers", "loads"] = "both"
    depth: Annotated[int, Meta(ge=1, le=50, description="Nets away to look.")] = 2
    limit: Annotated[int, Meta(ge=1, le=10_000, description="Places listed of one net.")] = 20

    def directions(self) -> tuple[str, ...]:
        """Returns the directions that `Project.trace` takes."""
        return ("drivers", "loads") if self.direction == "both" else (self.direction,)


class Machines(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Show the state machines of a unit."""

    unit: Name


class Clocks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Show the clocks or the resets below a unit: where they begin and what hangs on them."""

    unit: Name
    resets: Annotated[bool, Meta(description="The resets, not the clocks.")] = False
    limit: Annotated[int, Meta(ge=1, le=1000, description="Clocks, and steps of each.")] = 20


class Crossings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Show where data of one clock reaches a register of another, and what is in the way."""

    unit: Name
    kind: Annotated[
        Literal["all", "none", "handshake", "fifo", "synchroniser"],
        Meta(description="Only those with this in the way."),
    ] = "all"
    limit: Annotated[int, Meta(ge=0, le=1000, description="Crossings listed.")] = 20


class Registers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Show registers and fields with the RTL behind them, or list the blocks that have any."""

    name: Annotated[str, Meta(max_length=500, description="A block, register, field or unit.")] = ""
    limit: Annotated[int, Meta(ge=0, le=10_000, description="Lines of a field; 0: few.")] = 0


class Reach(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Show which block answers at an address, and the hosts that reach it."""

    name: Annotated[
        str, Meta(min_length=1, max_length=500, description="An address, block or register.")
    ]


class Unused(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """List what nothing drives, reads, connects, uses or instantiates."""

    name: Annotated[str, Meta(max_length=1200, description="A unit, file or folder; else all.")] = (
        ""
    )
    kind: Annotated[list[Word], Meta(max_length=30, description="These kinds alone.")] = []
    limit: Annotated[int, Meta(ge=0, le=10_000, description="Findings listed.")] = 50
    deliberate: Annotated[bool, Meta(description="List what is so on purpose.")] = False
    tests: Annotated[bool, Meta(description="Testbenches as well.")] = False


class Testbench(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Show what exercises a unit, or what a test or class of a testbench is."""

    name: Annotated[str, Meta(max_length=1200, description="A unit, test, class or key.")] = ""
    limit: Annotated[int, Meta(ge=0, le=10_000, description="Entries of a list; 0: few.")] = 0


class Neighbours(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Show what stands around a name in the graph of the design."""

    name: Annotated[str, Meta(min_length=1, max_length=1200, description="A name or a node's id.")]
    relation: Annotated[
        list[Word], Meta(max_length=30, description="Only relations of these kinds.")
    ] = []
    role: Roles = []
    limit: Annotated[int, Meta(ge=1, le=1000, description="Nodes listed.")] = 60


class Picture(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Draw the block diagram of a unit."""

    unit: Annotated[str, Meta(min_length=1, max_length=1200, description="A name or a node's id.")]


class Overview(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Show which parts the design has."""

    level: Annotated[int, Meta(ge=0, le=20, description="Finest level; 0 is coarsest.")] = 0


class Status(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Tell the state of the index."""


class Read(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Read lines of an indexed file."""

    path: Path
    start: Annotated[int, Meta(ge=1, le=10_000_000, description="First line, from 1.")] = 1
    end: Annotated[int, Meta(ge=1, le=10_000_000, description="Last line.")] | None = None


class Judge(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Say whether a file answers a question, or which file does."""

    q: Question
    path: Annotated[str, Meta(max_length=1000, description="The file that is judged.")] = ""
    verdict: Literal["up", "down", "right"] = "up"
    note: Annotated[str, Meta(max_length=1000)] = ""
