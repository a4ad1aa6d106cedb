"""The texts of a design's files as they are handed to the elaborator, which opens no file itself.

Each include names the exact header that the design graph found for it; one that names none is
blanked. Lines keep their numbers.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from hdlgraph.errors import HdlgraphError
from hdlgraph.index.elaborate.closure import Closure
from hdlgraph.index.elaborate.design import Design
from hdlgraph.parsers.text.source import read_source
from hdlgraph.safety.safe_files import read_inside

PLACE = "/\x01hdlgraph/"
"""What the paths of the texts begin with; no such folder exists."""
FILE_BYTES, ALL_BYTES = 16_000_000, 256_000_000
"""Of one file, and of all files of a design."""
_ANY = re.compile(r"`include\b(?:[ \t]*(?:\"([^\"\n]*)\"|<([^>\n]*)>))?")
_REST = re.compile(r"[^\n]*?(?=//|/\*|`|\\?$)", re.MULTILINE)


class Text(NamedTuple):
    """The decoded text of a file, and the SHA-256 of its bytes in hexadecimal digits."""

    text: str
    sha256: str


def read_texts(root: Path, paths: Iterable[str]) -> dict[str, Text]:
    """Returns the text of each file, "" of one that cannot be read.

    Raises:
        HdlgraphError: together they are larger than a design may be.
    """
    texts, held = {}, 0
    for path in paths:
        try:
            data = read_inside(root, path, FILE_BYTES)
        except OSError:
            data = b""
        held += len(data)
        if held > ALL_BYTES:
            raise HdlgraphError(
                f"the files to elaborate have more than {ALL_BYTES // 1_000_000} million bytes; "
                "name a smaller unit with --top"
            )
        texts[path] = Text(read_source(data).padded(), hashlib.sha256(data).hexdigest())
    return texts


def with_headers(texts: Mapping[str, str], found: Closure) -> dict[str, str]:
    """Returns the texts with the headers that each include means, by their whole paths."""
    by_file: dict[str, dict[str, str]] = {}
    for (path, _), (header, written) in found.included.items():
        by_file.setdefault(path, {})[written] = header
    return {path: _resolved(text, by_file.get(path, {})) for path, text in texts.items()}


def _resolved(text: str, headers: Mapping[str, str]) -> str:
    if "`include" not in text:
        return text

    def name(match: re.Match[str]) -> str:
        header = headers.get(match[1] or match[2] or "")
        if header is None:
            return " " * len(match[0])
        return f'`include "{PLACE}{header}"'

    parts, at = [], 0
    for match in _ANY.finditer(text):
        parts += [text[at : match.start()], name(match)]
        at = match.end()
        if not (match[1] or match[2]):  # the name is a macro's value
            rest = _REST.match(text, at)
            at = rest.end() if rest else at
    return "".join((*parts, text[at:]))


def stand_ins(design: Design, found: Closure, texts: Mapping[str, str]) -> dict[str, str]:
    """Returns the texts of modules that nothing defines, by the names of their stand-ins' files.

    The text is that of the module they may stand for, under the undefined name.
    """
    made = {}
    for name, row in sorted(found.alike.items()):
        path, old = design.paths[row], design.names[row]
        begin = re.compile(
            rf"^([ \t]*(?:module|macromodule)[ \t]+(?:automatic[ \t]+)?){old}\b", re.M
        )
        text, count = begin.subn(rf"\g<1>{name}", texts.get(path, ""))
        if count == 1:
            end = re.compile(rf"\b(endmodule[ \t]*:[ \t]*){old}\b")
            made[f"{path}@{name}"] = end.sub(rf"\g<1>{name}", text)
    return made
