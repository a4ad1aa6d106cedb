"""Receives and unpacks the body of an answer within limits; every transport uses it.

The HTTP libraries unpack whole chunks at once, without a limit: a gigabyte of zeros travels in one
megabyte. So they hand over what they received, and it is unpacked here piece by piece.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping

import httpx

from hdlgraph.errors import ErrorKind
from hdlgraph.llm.endpoint.bounds import MOST_ERROR_BYTES, MOST_HELD, Bounds, misshaped, too_large

PIECE = 1 << 16  # most bytes unpacked at once
PACKINGS = "gzip, deflate"
"""What is asked for; an answer packed in another way is refused."""
_KEPT = frozenset({b"content-type", b"retry-after", b"retry-after-ms", b"x-should-retry"})
_VALUE_BYTES = 200  # of a header that is kept


class Unusable(httpx.TransportError):
    """An answer beyond its limits, or one that cannot be read; `again`: worth repeating.

    The message goes on where the name of the endpoint ends.
    """

    def __init__(
        self, message: str, kind: ErrorKind = ErrorKind.SERVER, again: bool = False
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.again = again


def kept(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Returns the headers that mean something here, without their parameters.

    A declared charset, for one, would choose any codec of Python's.
    """
    pairs = ((name.lower(), value[:_VALUE_BYTES]) for name, value in headers)
    return [(name, value.partition(b";")[0]) for name, value in pairs if name in _KEPT]


class Unpacker:
    """Unpacks a body as its Content-Encoding says (Unusable for one not asked for)."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        packing = headers.get("content-encoding", "").strip().lower()
        self._deflate = packing == "deflate"
        self._reader: zlib._Decompress | None = None
        if packing in ("gzip", "x-gzip"):
            self._reader = zlib.decompressobj(16 + zlib.MAX_WBITS)
        elif self._deflate:
            self._reader = zlib.decompressobj()
        elif packing not in ("", "identity"):
            raise Unusable(f"packs its answer in a way that was not asked for: {packing[:40]!r}")

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yields what a part of the body holds, in pieces of at most 64 KiB if it was packed."""
        if self._reader is None:
            if data:
                yield data
            return
        piece = b"."
        while data or len(piece) == PIECE:  # a full piece may leave more behind
            if self._reader.eof:
                if not data:
                    return
                raise Unusable("goes on after the end of a packed answer")
            try:
                piece = self._reader.decompress(data, PIECE)
            except zlib.error as error:
                if self._deflate:  # some servers leave its two bytes of header out
                    self._deflate, self._reader = False, zlib.decompressobj(-zlib.MAX_WBITS)
                    continue
                reason = "packed its answer in a way that cannot be read"
                raise Unusable(reason, again=True) from error
            self._deflate = False
            data = self._reader.unconsumed_tail or self._reader.unused_data
            if piece:
                yield piece


class Held:
    """Counts the bytes of all answers that one client is receiving at a time."""

    def __init__(self) -> None:
        self.size = 0


class Intake:
    """Collects one body; of the answer to a failed request only the beginning."""

    def __init__(
        self, status: int, headers: Mapping[str, str], bounds: Bounds, held: Held | None = None
    ) -> None:
        self._failed = status >= 300
        self._bounds = bounds
        self._most = min(MOST_ERROR_BYTES, bounds.size) if self._failed else bounds.size
        self._unpacker = Unpacker(headers)
        self._body = bytearray()
        self._received = 0
        self._held = held or Held()

    def take(self, data: bytes) -> bool:
        """Takes a part as it was received; returns whether more is wanted."""
        self._received += len(data)
        for piece in self._unpacker.feed(data):
            self._held.size += len(piece)
            self._body += piece
            if len(self._body) > self._most:
                break
        if max(len(self._body), self._received) > self._most:
            if not self._failed:
                raise Unusable(too_large(self._most))
            return False
        if self._held.size > MOST_HELD:
            raise Unusable(too_large(MOST_HELD).replace("one answer", "answers under way at once"))
        return True

    def content(self) -> bytes:
        """Returns the body (Unusable where its JSON is too deep or has too many values)."""
        found = bytes(self._body[: self._most])
        if fault := misshaped(found, self._bounds.values):
            if self._failed:
                return b""  # its status says enough
            raise Unusable(fault)
        return found

    def close(self) -> None:
        """Forgets the body."""
        self._held.size -= len(self._body)
        self._body = bytearray()
