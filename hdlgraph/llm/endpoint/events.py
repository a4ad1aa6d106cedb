"""The events of a stream, read with limits.

The reader of the openai library joins the lines of an event one by one, which takes minutes for a
megabyte of short lines, and makes a record of every value before anybody can look at it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from hdlgraph.llm.endpoint.body import Unusable
from hdlgraph.llm.endpoint.bounds import MOST_EVENT_BYTES, too_large
from hdlgraph.llm.endpoint.wire import decode

_NO_JSON = "sent an event that is no JSON"


def events(pieces: Iterable[bytes], most: int) -> Iterator[dict[str, Any]]:
    """Yields the objects of an event stream up to its end.

    Args:
        pieces: the body.
        most: bytes of the whole stream.

    Raises:
        Unusable: an event is too long, too deep or no JSON, the stream is too long, or the server
            reports an error in it.
    """
    for data in _data(_lines(pieces, most)):
        if data.startswith(b"[DONE]"):
            return
        try:
            found = decode(data)
        except ValueError:
            raise Unusable(_NO_JSON, again=True) from None
        if not isinstance(found, dict):
            raise Unusable(_NO_JSON, again=True)
        if error := found.get("error"):
            message = error.get("message") if isinstance(error, dict) else error
            words = message if isinstance(message, str) else "it does not say why"
            raise Unusable(f"broke its answer off: {words[:300]}", again=True)
        yield found


def _lines(pieces: Iterable[bytes], most: int) -> Iterator[bytes]:
    """Yields the lines of a body without their ends."""
    held = bytearray()
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > most:
            raise Unusable(too_large(most))
        first, *others = piece.split(b"\n")
        held += first
        if others:
            yield bytes(held).rstrip(b"\r")
            for line in others[:-1]:
                yield line.rstrip(b"\r")
            held = bytearray(others[-1])
        if len(held) > MOST_EVENT_BYTES:
            raise Unusable(too_large(MOST_EVENT_BYTES).replace("answer", "event of a stream"))


def _data(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yields the data of each event that ends with an empty line."""
    data: list[bytes] = []
    size = 0
    for line in lines:
        if not line:
            if data:
                yield b"\n".join(data)
            data, size = [], 0
        elif line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
            size += len(line)
            if size > MOST_EVENT_BYTES:
                raise Unusable(too_large(MOST_EVENT_BYTES).replace("answer", "event of a stream"))
