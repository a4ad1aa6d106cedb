"""How long a server waits for a client that sends or reads slowly, and for how many at once."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

CLIENTS = 200
"""Connections at one time."""
HEAD_SECONDS = 10.0
"""The longest time that the head of a request may take to arrive."""
STALLED_SECONDS = 30.0
"""The longest time in which a client may take nothing of an answer that waits for it."""
LOOK = 1.0
"""Seconds between looks at a connection."""


class Patient(H11Protocol):
    """A connection that ends where its client is silent, so that a few clients cannot block all.

    uvicorn alone waits without end for the head of a first request and for a client that does not
    read; with as many such connections as `CLIENTS`, nobody else would be answered. Where the
    room is full, the connection is closed whose request has been incomplete for the longest time.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begins to watch a new connection, after making room for it."""
        super().connection_made(transport)
        self._since = self.loop.time()
        self._unread, self._unread_since = 0, self._since
        self._next_look = self.loop.call_later(LOOK, self._look)
        if len(self.connections) > CLIENTS:
            others = (one for one in self.connections if isinstance(one, Patient))
            waiting = [one for one in others if one is not self and _is_waiting(one)]
            if waiting:
                min(waiting, key=lambda one: one._since)._end()

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends the watch."""
        self._next_look.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Begins to wait for the next request."""
        self._since = self.loop.time()
        super().on_response_complete()

    def _look(self) -> None:
        now, unread = self.loop.time(), self.transport.get_write_buffer_size()
        if not unread or unread != self._unread:
            self._unread, self._unread_since = unread, now
        late = _awaits_head(self) and now - self._since > HEAD_SECONDS
        if late or now - self._unread_since > STALLED_SECONDS:
            self._end()
            return
        self._next_look = self.loop.call_later(LOOK, self._look)

    def _end(self) -> None:
        self.connections.discard(self)  # it counts no longer, though it ends a moment later
        self.transport.abort()


def _awaits_head(one: Any) -> bool:
    """Returns whether a connection has no request in hand."""
    return one.cycle is None or one.cycle.response_complete


def _is_waiting(one: Any) -> bool:
    """Returns whether a connection has no whole request in hand."""
    return _awaits_head(one) or one.cycle.more_body
