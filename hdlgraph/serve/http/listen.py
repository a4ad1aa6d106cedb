"""Runs an application over HTTP until it is stopped."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from hdlgraph.serve.http.address import TOKEN, Address
from hdlgraph.serve.http.guard import HEADER_BYTES, Guard, Scope

if TYPE_CHECKING:
    from hdlgraph.serve.http.guard import App

SWITCH_S = 0.001
"""Seconds after which a thread that computes lets another one go on: a search that reads or
multiplies waits so long to go on, many times, while another thread computes. Python takes .005."""


def listen(
    app: App,
    opened: socket.socket,
    bound: Address,
    *,
    path: str = "/",
    admits: Callable[[Scope], bool] | None = None,
) -> None:
    """Answers requests behind a `Guard` until Ctrl-C, and says at the start where.

    Args:
        app: the application, ASGI.
        opened: the listening socket, which is closed at the end.
        bound: its address; both as of `bind`, which is called before anything takes long, so that
            a port in use is told at once.
        path: of the page or the endpoint, for the message.
        admits: see `Guard`.
    """
    import uvicorn

    from hdlgraph.serve.http.patience import CLIENTS, Patient

    config = uvicorn.Config(
        Guard(app, bound, admits),
        http=Patient,
        ws="none",
        log_config=None,
        log_level="warning",
        access_log=False,  # questions are nobody's business
        proxy_headers=False,
        server_header=False,
        limit_concurrency=2 * CLIENTS,  # more are answered 503; those just closed still count
        timeout_graceful_shutdown=3,
        h11_max_incomplete_event_size=2 * HEADER_BYTES,
    )
    _share_fairly()
    _announce(bound, path)
    with opened, suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[opened])


def _share_fairly() -> None:
    """Has threads that answer side by side hinder each other less."""
    import numpy  # noqa: F401  # brings the library that is limited
    from threadpoolctl import ThreadpoolController

    sys.setswitchinterval(SWITCH_S)
    # A search limits linear algebra (BLAS) to one thread and then sets the number back, which is
    # the whole process's: one search must not set it back for another. So it is one for good.
    ThreadpoolController().limit(limits=1, user_api="blas")


def _announce(address: Address, path: str) -> None:
    """Prints on stderr where the server is, and a token that was made for it, this once."""
    sys.stderr.write(f"hdlgraph: listening at {address.url}{path} (Ctrl-C stops)\n")
    if address.made:
        sys.stderr.write(
            f"hdlgraph: token of this server, shown only now: {address.token}\n"
            f"hdlgraph: set {TOKEN} to choose one that stays\n"
        )
    sys.stderr.flush()
