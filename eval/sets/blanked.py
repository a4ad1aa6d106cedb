"""Copies of corpora without comments: how poor repositories are made of rich ones."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hdlgraph.eval.sets.corpora import cache_folder, describe, verilog_files
from hdlgraph.parsers.text.source import decode, without_comments

FOLDERS = {"comments": "blanked", "headers": "blanked-headers"}
"""What is blanked -> the folder of such copies in the cache."""

_UNIT = re.compile(
    r"^[ \t]*(?:module|macromodule|interface|package|program|primitive|checker|"
    r"(?:virtual[ \t]+)?class)\b",
    re.MULTILINE,
)
_CODE = re.compile(r"^[ \t]*[^\s`]", re.MULTILINE)


def without_header(text: str) -> str:
    """Returns a text of the same length and lines in which the comments of its head are blanks.

    The head ends where the first unit begins; in a file without units, at the first code that is
    no compiler directive.
    """
    bare = without_comments(text)
    begins = _UNIT.search(bare) or _CODE.search(bare)
    end = begins.start() if begins else len(text)
    return bare[:end] + text[end:]


def blanked_copy(source: Path, target: Path, what: str = "comments") -> Path:
    """Returns `target`, a copy of a corpus's Verilog files in which comments are blanks.

    Lines keep their numbers and strings their text; other files, documents among them, are left
    out. A copy that exists is taken as it is.

    Args:
        source: the corpus.
        target: the folder of the copy.
        what: a key of FOLDERS: every comment, or those of a file's head alone.
    """
    if target.is_dir():
        return target
    blank = without_header if what == "headers" else without_comments
    target.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    for path in verilog_files(source):
        place = new / path
        place.parent.mkdir(parents=True, exist_ok=True)
        text, encoding = decode((source / path).read_bytes())
        kept = "latin-1" if encoding in ("binary", "latin-1") else "utf-8"
        place.write_bytes(blank(text).encode(kept, errors="replace"))
    new.chmod(0o755)
    new.rename(target)
    return target


def blanked_folder(corpus: Path, home: Path, what: str = "comments") -> Path:
    """Returns where the copy of a corpus lies, or will lie, below the folder of all corpora."""
    return home / FOLDERS[what] / "corpora" / corpus.name


def describe_blanked(
    names: Sequence[str] = (), what: str = "comments", cache: Path | None = None
) -> list[dict[str, Any]]:
    """Returns what `describe` does, with the folder of each corpus's copy, made when missing.

    Raises:
        As `describe`.
    """
    home, found = cache or cache_folder(), describe(names, cache)
    for corpus in found:
        source = Path(corpus["folder"])
        copy = blanked_copy(source, blanked_folder(source, home, what), what)
        corpus |= {"folder": copy.as_posix(), "blanked": what}
    return found
