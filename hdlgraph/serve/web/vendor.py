"""Files of the page: our own, and JavaScript that comes inside of an installed package.

None of that package's code is run; its file is served with its licence beside it.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources
from importlib.metadata import distribution
from typing import NamedTuple

D3 = "_internal/plotting/third_party/d3/"
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
OWN = ("app.css", "app.js", "theme.js", "graph.js", "overview.js", "amd.js", "icon.svg")


class Asset(NamedTuple):
    """A file that is served: its bytes, its type, and what names its content."""

    body: bytes
    type: str
    etag: str


class Licence(NamedTuple):
    """The licence of JavaScript that is served: of what, who carries it, and its text."""

    name: str
    carrier: str
    text: str


@cache
def asset(name: str) -> Asset | None:
    """Returns a file by its name, None where there is none."""
    if name in OWN:
        body = (resources.files(__package__) / "static" / name).read_bytes()
    elif name == "d3.js":
        body = _carried("d3.v7.min.def.js")
    else:
        return None
    kind = TYPES[name[name.rindex(".") :]]
    return Asset(body, kind, f'"{hashlib.sha256(body).hexdigest()[:20]}"')


@cache
def version() -> str:
    """Returns what changes with any of our own files: a part of their addresses."""
    found = hashlib.sha256()
    for name in OWN:
        known = asset(name)
        found.update(known.body if known else b"")
    return found.hexdigest()[:10]


@cache
def licences() -> tuple[Licence, ...]:
    """Returns the licences of the JavaScript of others that the page uses."""
    carrier = distribution("gravis")
    text = _carried("ORIGINAL_LICENSE").decode("utf-8")
    return (Licence("d3 7.1.1 (ISC)", f"gravis {carrier.version} (Apache-2.0)", text),)


def _carried(name: str) -> bytes:
    # By its place among the package's files: importing it would run its code.
    return distribution("gravis").locate_file(f"gravis/{D3}{name}").read_bytes()  # type: ignore[attr-defined]
