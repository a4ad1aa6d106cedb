"""A shared index as a reader sees it: looks at the pointer now and then, and takes what is new.

Whatever fails then, the generation that the reader has goes on answering, and a note says so.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress

import msgspec

from hdlgraph.errors import HdlgraphError, UsageError
from hdlgraph.safety.safe_files import read_regular, write_atomic
from hdlgraph.store.folder import Store
from hdlgraph.store.shared import records
from hdlgraph.store.shared.address import Address, place_of, read_address
from hdlgraph.store.shared.bucket import BucketError, ObjectMissingError
from hdlgraph.store.shared.fetch import fetch, taken
from hdlgraph.store.shared.open_bucket import open_bucket

SECONDS = "HDLGRAPH_SHARED_SECONDS"
"""The variable of the environment that says how often the pointer is looked at."""
LOOK_S = 30.0
"""Seconds between two looks, of all processes of a user together."""
STATE_BYTES = 10_000
TRIES = 2
"""How often a generation is begun that another one replaces while it is fetched."""


class Looked(msgspec.Struct, frozen=True):
    """The last look: when (s since the epoch, this machine's clock), and what was wrong."""

    at: float = 0.0
    wrong: str = ""


class Follower:
    """One shared index, kept in step with its bucket.

    Args:
        given: its address.

    Raises:
        UsageError: it is none.
    """

    def __init__(self, given: object) -> None:
        self.address: Address = read_address(str(given))
        self.place = place_of(self.address)
        self._looked: float | None = None
        self._looking = threading.Lock()
        self._wrong = ""

    @property
    def notes(self) -> tuple[str, ...]:
        """Returns a line for people where the last look failed."""
        if not self._wrong:
            return ()
        return (f"{self._wrong}: the generation that was fetched before answers",)

    def ready(self) -> None:
        """Sees to it that there is a generation: the present one, or that which was fetched before.

        Raises:
            BucketError: there is none, and the place does not answer or has nothing.
            UsageError: there is none, and the environment or the folder is not in order.
        """
        self.place.make()
        has = self._has()
        looked = self._kept()
        recent = 0 <= time.time() - looked.at < _seconds()
        if has and recent:
            self._wrong = looked.wrong
        else:
            with self._looking:
                self._look(has)
        self._looked = time.monotonic()

    def follow(self) -> None:
        """Looks at the pointer beside the caller, where that is due; returns at once.

        The first call of a process does what `ready` does.
        """
        if self._looked is None:
            self.ready()
        elif time.monotonic() - self._looked > _seconds() and not self._looking.locked():
            self._looked = time.monotonic()
            threading.Thread(target=self._beside, daemon=True, name="shared index").start()

    def forget(self) -> None:
        """Lets the next question look at the pointer, however short ago that was done."""
        self._looked = None
        with suppress(OSError):
            self.place.state.unlink()

    def _beside(self) -> None:
        with self._looking, suppress(HdlgraphError, OSError):
            self._look(True)

    def _has(self) -> bool:
        """Returns whether there is a generation that can be read."""
        try:
            Store(self.place.index).hold().close()
        except (UsageError, OSError):
            return False
        return True

    def _look(self, has: bool) -> None:
        """Takes the generation that the pointer names, if it is another one; keeps what failed."""
        try:
            self._take()
            self._wrong = ""
        except (HdlgraphError, OSError) as error:
            self._wrong = str(error).replace("\n", " ")
            if not has:
                raise
        finally:
            data = msgspec.json.encode(Looked(time.time(), self._wrong))
            with suppress(OSError):
                write_atomic(self.place.state, data)

    def _take(self) -> None:
        quick = open_bucket(self.address, patient=False)
        for attempt in range(TRIES):
            pointer, _ = records.read_pointer(quick, self.address)
            if pointer.listing == taken(self.place) and self._has():
                return
            try:
                fetch(open_bucket(self.address, patient=True), self.address, self.place, pointer)
                return
            except ObjectMissingError as error:
                # A reader so slow that its generation was removed finds another pointer.
                if attempt + 1 == TRIES or records.read_pointer(quick, self.address)[0] == pointer:
                    raise BucketError(
                        f"{error}: generation {pointer.number} is not whole; publish it again"
                    ) from error

    def _kept(self) -> Looked:
        try:
            return msgspec.json.decode(read_regular(self.place.state, STATE_BYTES), type=Looked)
        except (OSError, msgspec.MsgspecError, UnicodeError):
            return Looked()


def _seconds() -> float:
    """Returns the seconds between two looks.

    Raises:
        UsageError: the environment says something else than a number.
    """
    text = os.environ.get(SECONDS, "")
    try:
        return max(0.0, float(text)) if text else LOOK_S
    except ValueError:
        raise UsageError(f"{SECONDS}={text[:40]!r}: is no number of seconds") from None
