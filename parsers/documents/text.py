"""The text of a file's bytes, whatever its encoding, and titles and anchors as one line."""

from __future__ import annotations

import re

from hdlgraph.parsers.documents.records import TITLE_CHARS, DocumentError
from hdlgraph.parsers.text.source import decode

BINARY = 0.02
"""A larger share of control characters is no text."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_SPACES = re.compile(r"\s+")
_NOT_SLUG = re.compile(r"[^\w\- ]+")


def text_of(data: bytes) -> tuple[str, str]:
    """Returns (text with line feeds at line ends, encoding) of a file.

    Raises:
        DocumentError: the bytes are no text.
    """
    text, encoding = decode(data)
    head = text[:100_000]
    if head and len(_CONTROL.findall(head)) > BINARY * len(head):
        raise DocumentError("is no text: its bytes are binary, or of an unknown encoding")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub(" ", text).encode("utf-8", "replace").decode(), encoding


def one_line(text: str) -> str:
    """Returns a title on one line, shortened where it is very long."""
    plain = _SPACES.sub(" ", text[: 4 * TITLE_CHARS]).strip()
    return plain if len(plain) <= TITLE_CHARS else plain[: TITLE_CHARS - 1] + "…"


class Anchors:
    """Makes the anchors of headings as code hosts do: small letters, hyphens, `-1` for a second."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def of(self, title: str) -> str:
        """Returns the anchor of the next heading, "" for one without letters."""
        slug = _NOT_SLUG.sub("", title.strip().lower()).replace(" ", "-")
        if not slug:
            return ""
        count = self._seen.get(slug, 0)
        self._seen[slug] = count + 1
        return f"{slug}-{count}" if count else slug
