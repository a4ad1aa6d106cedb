"""Maps work over batches: here one after the other, or on the machines of a Ray cluster.

Work is an object that is called with a batch and returns its result. What is spread over a cluster
is pickled, so it is an instance of a class of hdlgraph, and it needs no file of this machine.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol, TypeVar

from hdlgraph.errors import UsageError

B = TypeVar("B")
R = TypeVar("R")

LOCAL, RAY = "local", "ray"
ENGINES = (LOCAL, RAY)
ADDRESS = "RAY_ADDRESS"
"""The variable of the environment that names a cluster, as Ray's own programs read it."""
REMEDY = "install it with `pip install 'hdlgraph[cluster]'`, or leave out --engine ray"


class Engine(Protocol):
    """Works on batches."""

    spreads: bool
    """Whether batches go to other machines; where not, a stage keeps its own processes."""

    def start(self) -> None:
        """Begins to connect, so that it is done when the first batch comes."""

    def map(
        self, what: str, work: Callable[[B], R], batches: Iterable[B]
    ) -> Iterator[tuple[int, R]]:
        """Yields (place of the batch, its result) of every batch, in no fixed order.

        Args:
            what: the stage, for messages.
            work: called with each batch.
            batches: taken one by one, so that not all have to be held at once.

        Raises:
            HdlgraphError: the cluster is gone, or a batch cannot be worked on.
        """

    def calls(
        self, what: str, work: Callable[[B], R], share: float
    ) -> AbstractContextManager[Callable[[B], Awaitable[R]]]:
        """Returns, for a `with` block, a coroutine function that has one batch worked on.

        Args:
            what: the stage, for messages.
            work: called with each batch.
            share: processors that a batch takes.
        """

    def close(self) -> None:
        """Ends what was started."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Returns what the report says of where the work was done."""


class LocalEngine:
    """Works in this process."""

    spreads = False
    notes: tuple[str, ...] = ()

    def start(self) -> None:
        """Does nothing: there is nothing to connect to."""

    def map(
        self,
        what: str,  # noqa: ARG002
        work: Callable[[B], R],
        batches: Iterable[B],
    ) -> Iterator[tuple[int, R]]:
        """Yields (place of the batch, its result), in order."""
        for at, batch in enumerate(batches):
            yield at, work(batch)

    @contextmanager
    def calls(
        self,
        what: str,  # noqa: ARG002
        work: Callable[[B], R],
        share: float,  # noqa: ARG002
    ) -> Iterator[Callable[[B], Awaitable[R]]]:
        """Yields a function that works on a batch here."""

        async def call(batch: B) -> R:
            return work(batch)

        yield call

    def close(self) -> None:
        """Does nothing."""


HERE = LocalEngine()


def check_engine(name: str, address: str | None) -> None:
    """Raises UsageError for an engine or an address that cannot be used on this machine."""
    from importlib.util import find_spec

    if name not in ENGINES:
        raise UsageError(f"engine {name}: unknown; known are {', '.join(ENGINES)}")
    if name == LOCAL:
        if address:
            raise UsageError("--address names a Ray cluster: add --engine ray")
        return
    address_of(address)
    if find_spec("ray") is None:
        raise UsageError(f"--engine ray: Ray is not installed; {REMEDY}")


def address_of(given: str | None) -> str:
    """Returns HOST:PORT of the cluster, "" for one that is started here for this run.

    Only the user names one, on the command line or in the environment: it is sent the sources.

    Raises:
        UsageError: it is not HOST:PORT.
    """
    address = (given or os.environ.get(ADDRESS, "")).strip()
    if address in ("", LOCAL):
        return ""
    host, colon, port = address.rpartition(":")
    is_plain = colon and host and "/" not in address and port.isascii() and port.isdigit()
    if not is_plain or not 0 < int(port) < 65_536:
        raise UsageError(
            f"Ray cluster {address}: not HOST:PORT; name the address that `ray start --head` "
            "printed, such as 10.0.0.5:6379, on a machine that is part of the cluster, or `local`"
        )
    return address


def open_engine(name: str, address: str | None, jobs: int) -> Engine:
    """Returns an engine; nothing is started yet.

    Args:
        name: one of ENGINES.
        address: HOST:PORT of a cluster; None takes RAY_ADDRESS, else one is started here.
        jobs: tasks at once on a cluster that is started here.
    """
    if name == LOCAL:
        return HERE
    from hdlgraph.index.engine.ray_engine import RayEngine

    return RayEngine(address_of(address), jobs)
