"""The formats of documents: their suffixes, what reads each, and what has to be installed."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

from hdlgraph.parsers.documents.records import Document, DocumentError

TEXT_BYTES = 16_000_000
"""Of a longer text file so many bytes are read."""
BYTES = 256_000_000
"""Larger files of the other formats are not read."""
EXTRA = "pip install 'hdlgraph[documents]'"


class Format(NamedTuple):
    """A format: its function as `module:name`, the package that it needs, and where it counts.

    `everywhere` says that a file of it in a repository is a document wherever it lies; of the
    others only those in folders of documents are.
    """

    name: str
    suffixes: tuple[str, ...]
    reader: str
    package: str = ""
    is_text: bool = True
    everywhere: bool = False


FORMATS = (
    Format(
        "markdown",
        (".md", ".markdown"),
        "hdlgraph.parsers.documents.markdown:read",
        "markdown_it",
        everywhere=True,
    ),
    Format("rst", (".rst",), "hdlgraph.parsers.documents.rst:read", "docutils", everywhere=True),
    Format("html", (".html", ".htm", ".xhtml"), "hdlgraph.parsers.documents.html:read", "bs4"),
    Format(
        "pdf",
        (".pdf",),
        "hdlgraph.parsers.documents.pdf:read",
        "pypdfium2",
        is_text=False,
        everywhere=True,
    ),
    Format(
        "docx",
        (".docx",),
        "hdlgraph.parsers.documents.office:read_docx",
        "docx",
        is_text=False,
        everywhere=True,
    ),
    Format(
        "pptx",
        (".pptx",),
        "hdlgraph.parsers.documents.office:read_pptx",
        "pptx",
        is_text=False,
        everywhere=True,
    ),
    Format("csv", (".csv",), "hdlgraph.parsers.documents.tables:read_csv"),
    Format("tsv", (".tsv",), "hdlgraph.parsers.documents.tables:read_tsv"),
    Format("json", (".json",), "hdlgraph.parsers.documents.structured:read_json"),
    Format("threads", (".jsonl",), "hdlgraph.parsers.documents.structured:read_threads"),
    Format("text", (".txt", ".text"), "hdlgraph.parsers.documents.plain:read"),
)
_BY_SUFFIX = {suffix: one for one in FORMATS for suffix in one.suffixes}
SUFFIXES = tuple(_BY_SUFFIX)


def format_of(path: str) -> Format | None:
    """Returns the format of a file by its suffix; None for what is no document."""
    name = path.rpartition("/")[2].lower()
    return _BY_SUFFIX.get(name[name.rfind(".") :]) if "." in name else None


def read_document(path: str, data: bytes, size: int) -> Document:
    """Returns what a document holds.

    Args:
        path: whose suffix tells the format.
        data: its first bytes.
        size: how many bytes it has.

    Raises:
        DocumentError: it cannot be read; the message says why.
    """
    kind = format_of(path)
    if kind is None:
        raise DocumentError("is of no known format")
    if kind.package and find_spec(kind.package) is None:
        raise DocumentError(f"is not read: {kind.name} needs {EXTRA}")
    if size > len(data) and not kind.is_text:
        raise DocumentError(f"has {size} bytes, more than {BYTES}: not read")
    module, _, name = kind.reader.partition(":")
    found: Document = getattr(import_module(module), name)(data)
    if size > len(data):
        cut = f"has {size} bytes; only the first {len(data)} are read"
        found = found._replace(problems=(cut, *found.problems))
    return found
