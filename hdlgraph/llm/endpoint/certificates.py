"""The certificates by which a server's identity is checked, read once for all clients."""

from __future__ import annotations

import os
import ssl
from functools import cache


def certificates() -> ssl.SSLContext:
    """Returns the certificates that the environment names; reading them takes 0.1 s."""
    return _read(*(os.environ.get(name, "") for name in ("SSL_CERT_FILE", "SSL_CERT_DIR")))


@cache
def _read(file: str, folder: str) -> ssl.SSLContext:  # noqa: ARG001
    import httpx

    return httpx.create_ssl_context()  # looks at the same two variables
