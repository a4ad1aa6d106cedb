"""One call that indexes documents, and the digests that say when its result is out of date."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from hdlgraph import __version__
from hdlgraph.settings.records import Settings

LIBRARIES = (
    "markdown-it-py",
    "docutils",
    "beautifulsoup4",
    "pypdfium2",
    "python-docx",
    "python-pptx",
)


@dataclass(frozen=True)
class DocumentsRequest:
    """One call: which documents, for which index.

    `roots` are the folders of --docs by name; those of `kept` were named in an earlier call and
    are not read now: what the index holds of them stays.
    """

    root: Path
    folder: Path
    settings: Settings
    roots: Mapping[str, Path] = field(default_factory=dict)
    kept: Mapping[str, str] = field(default_factory=dict)
    fresh: bool = False


@cache
def readers_digest() -> str:
    """Returns a digest of the code and libraries that read documents."""
    import hdlgraph.parsers

    package = Path(hdlgraph.parsers.__path__[0])
    code = sorted((package / "documents").glob("*.py"))
    return _digest([*code, package / "text" / "source.py"], _versions())


@cache
def program_digest() -> str:
    """Returns a digest of all code that the index of documents depends on."""
    package = Path(__file__).parents[2]
    places = ("index/documents", "store/documents")
    code = [path for one in places for path in sorted((package / one).glob("*.py"))]
    return _digest([*code, package / "words.py"], [readers_digest()])


def _versions() -> list[str]:
    from importlib.metadata import PackageNotFoundError, version

    found = []
    for name in LIBRARIES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} none")
    return found


def _digest(paths: Sequence[Path], words: Sequence[str]) -> str:
    digest = hashlib.sha256("\n".join((__version__, *words)).encode())
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
