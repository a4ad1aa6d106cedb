"""Where a server listens, which names it answers to, and which token it demands."""

from __future__ import annotations

import ipaddress
import os
import secrets
import socket
import sys
from collections.abc import Sequence

import msgspec

from hdlgraph.errors import UsageError
from hdlgraph.safety.printable import visible

TOKEN = "HDLGRAPH_TOKEN"
"""The variable of the environment that holds the token of a server."""
SHORTEST = 16
"""Characters that a token has at least."""
LOOPBACK = ("127.0.0.1", "::1", "localhost")
"""Names by which this machine reaches itself."""
BACKLOG = 128


class Address(msgspec.Struct, frozen=True):
    """Where a server listens. `token` is "" where none is demanded.

    `names` are the names that the Host header of a request may have, in lower case and without a
    port, beside addresses in digits, which no DNS server can point elsewhere. `made` says that
    the token was made just now and has to be told.
    """

    host: str
    port: int
    names: frozenset[str]
    token: str = ""
    made: bool = False

    @property
    def url(self) -> str:
        """Returns where a client on this machine finds the server."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"


def address_of(hosts: Sequence[str] = (), port: int = 0) -> Address:
    """Returns the address of a server, with the token that the environment names or a new one.

    The token is taken out of the environment, so that no child process has it.

    Args:
        hosts: the name or address to listen at, then further names that requests may use, of a
            proxy for one; 127.0.0.1 without any.
        port: the port; 0 takes a free one when the server is bound.

    Raises:
        UsageError: the token is too short, or others can reach the address and there is neither
            a token nor a terminal to tell a new one at.
    """
    host = hosts[0] if hosts else LOOPBACK[0]
    names = frozenset(name.lower() for name in (*hosts, *LOOPBACK, *_own_names(host)))
    token = os.environ.pop(TOKEN, "")
    if token and (len(token) < SHORTEST or not (token.isascii() and token.isprintable())):
        raise UsageError(
            f"{TOKEN}: needs at least {SHORTEST} printable ASCII characters; make one with "
            "`openssl rand -hex 32`"
        )
    if token or is_loopback(host):
        return Address(host, port, names, token)
    if not sys.stderr.isatty():
        raise UsageError(
            f"--host {visible(host)}: others can reach it, so that a token is needed; set {TOKEN} "
            "(a new one is made only where stderr is a terminal, as it must stay out of logs)"
        )
    return Address(host, port, names, secrets.token_urlsafe(32), made=True)


def is_loopback(host: str) -> bool:
    """Returns whether a host is this machine alone."""
    if host.lower() in LOOPBACK:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _own_names(host: str) -> tuple[str, ...]:
    """Returns the names of this machine, where a server listens at all of its addresses."""
    return (socket.gethostname(), socket.getfqdn()) if host in ("0.0.0.0", "::") else ()


def bind(address: Address) -> tuple[socket.socket, Address]:
    """Returns a listening socket at an address, and the address with the port that it has.

    Raises:
        UsageError: the port is in use or not allowed, or the host is none of this machine.
    """
    place = f"port {address.port} of {visible(address.host)}"
    if not 0 <= address.port <= 65535:
        raise UsageError(f"--port {address.port}: is no port; choose 0 to 65535")
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise UsageError(f"--host {visible(address.host)}: is not known here ({error})") from error
    family, kind, protocol, _, target = found[0]
    opened = socket.socket(family, kind, protocol)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(target)
        opened.listen(BACKLOG)
    except PermissionError as error:
        opened.close()
        raise UsageError(f"{place}: is not allowed; choose a --port above 1023") from error
    except OSError as error:
        opened.close()
        raise UsageError(
            f"{place}: cannot be had ({error.strerror}); choose another --port, 0 takes a free one"
        ) from error
    return opened, msgspec.structs.replace(address, port=opened.getsockname()[1])
