"""What a shared index asks of the place that holds it: few operations, two of them conditional."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from hdlgraph.errors import HdlgraphError


class BucketError(HdlgraphError):
    """The place of a shared index does not answer, or refuses what is asked."""


class ObjectMissingError(BucketError):
    """There is no object of that name."""


class FolderMissingError(ObjectMissingError):
    """The folder of a shared index is not there: not mounted, removed, or never made."""


class ConflictError(BucketError):
    """The object is not the one that was to be replaced: somebody else was quicker."""


@dataclass(frozen=True, slots=True)
class Found:
    """An object as it is listed. `time` is that of the server."""

    key: str
    size: int
    time: datetime


class Bucket(Protocol):
    """Objects by key, all below the prefix of one address.

    Every method raises BucketError, with a message for people, where the place does not answer or
    refuses.
    """

    def read(self, key: str, limit: int) -> tuple[bytes, str]:
        """Returns an object and its version; ObjectMissingError where there is none.

        Raises:
            BucketError: also where it has more than `limit` bytes.
        """

    def stream(self, key: str, size: int) -> Iterator[bytes]:
        """Yields an object of `size` bytes in pieces (ObjectMissingError).

        What comes is not checked: there may be less or more.
        """

    def send(self, key: str, source: Path | bytes) -> None:
        """Writes an object, all or nothing."""

    def swap(self, key: str, data: bytes, version: str) -> str:
        """Writes an object in place of that version, "" for none; returns the new version.

        Raises:
            ConflictError: the object has another version by now.
        """

    def time(self, key: str) -> tuple[datetime, str]:
        """Returns when an object was written, by the server's clock, and its version."""

    def list(self) -> Iterator[Found]:
        """Yields all objects."""

    def remove(self, keys: Sequence[str]) -> None:
        """Removes objects; those that are gone already are no error."""
