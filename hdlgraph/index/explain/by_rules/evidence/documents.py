"""What the documents of a repository say of a file: a table's row, a bullet, a heading's text.

    | `umbrella` | folds and unfolds |        a row whose first cell names it
    * **umbrella** - folds and unfolds        a bullet that begins with its name
    ## umbrella                               the first sentence below a heading
    `umbrella` folds and unfolds               a paragraph that begins with its name
    umbrella.md, umbrella/README.md            the first sentence of a document of its own

Names are those of files without their suffix and of units. The nearest document counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec

from hdlgraph.index.discover.files import documents
from hdlgraph.index.explain.by_rules.evidence.repeats import main_unit, stem_of
from hdlgraph.index.explain.by_rules.phrases import clip
from hdlgraph.index.explain.by_rules.prose import sentences
from hdlgraph.index.kept.functions import kept, of_content
from hdlgraph.index.kept.unchanged import stamp_of, while_same
from hdlgraph.model import FileRecord
from hdlgraph.safety.safe_files import open_inside

SUFFIXES = (".md", ".rst", ".adoc")
MAX_TEXT = 200_000
"""Bytes of one document that are read."""
MAX_ALL = 20_000_000
"""Bytes of all documents that are read."""
MAX_LINE = 1_000
OPENING = 60
"""Lines of a document in which its first paragraph stands."""
MAX_WORDS = 40
_DIARY = re.compile(r"(?i)(?:change|history|release|news|todo|templat|licen|contribut)[^/]*$")
"""Documents that say what changed, not what is there."""
_NAME = (
    r"(?:\[?[`*_]{1,3}|\[)([A-Za-z]\w{1,60})(?:\.s?vh?)?[`*_]{0,3}\]?(?:\([^()\s]{0,200}\))?"
    r"[`*_]{0,3}"
)
_BULLET = re.compile(rf"\s{{0,12}}[-*+] {{1,4}}{_NAME}\s{{0,4}}(?::|--?|–|—)\s{{0,4}}(.+)")
_CELL = re.compile(rf"\s*(?:{_NAME}|([A-Za-z]\w*_\w+)(?:\.s?vh?)?)\s*")
_HEADING = re.compile(
    r"(?:#{1,5}|={1,5}) +(?:(?:The|Module|File|Block)[ :]+)?[`*_]{0,2}([A-Za-z]\w{1,60})"
    r"(?:\.s?vh?)?[`*_]{0,2}(?: (?:[Mm]odule|[Bb]lock|[Uu]nit))?(?:[:–—-]+ ?(.*))?[ #]*"
)
_BEGINS = re.compile(
    r"(?:The |the )?[`*]{1,3}([A-Za-z]\w{1,60})[`*]{1,3} (?:(?:module|block|unit|package|class) )?"
    r"(?:is|are|was|can|has|[a-z]{3,14}s)\b.+"
)
_HOME = re.compile(r"(?i)(?:_?index|readme|overview)")
_DOCS = re.compile(r"(?i)(?:^|/)(?:docs?|documentation)$")
_SPECIFIES = re.compile(
    r"(?:This|The) (?:document|page|section|chapter|readme|specification) "
    r"(?:specifies|describes"
    r"|explains|documents|defines|details|outlines|introduces)"
    r"(?: the)? (?:functionality of (?:the )?)?",
    re.I,
)
_LINKS = re.compile(r"!?\[([^\[\]]{0,200})\]\([^()]{0,300}\)|<[^<>]{1,200}>|[`*]|\{[^{}]{0,80}\}")
_NO_PROSE = re.compile(r"[|<>{}!\[=#:.+*-]|\d+[.)]|`{3}")


class DocumentTexts(Iterable[tuple[str, str]]):
    """(path, text) of the documents written for people that no ignore file leaves out.

    Args:
        root: the repository.
        exclude: globs of files to leave out.
        paths: of the documents, where they are known.
    """

    def __init__(
        self, root: Path, exclude: Sequence[str] = (), paths: Sequence[str] | None = None
    ) -> None:
        self.root = root.resolve()
        listed = documents(self.root, exclude) if paths is None else paths
        self.paths = [
            path for path in listed if path.lower().endswith(SUFFIXES) and not _DIARY.search(path)
        ]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        left = MAX_ALL
        for path in self.paths:
            if left <= 0:
                return
            try:
                with open_inside(self.root, path) as stream:
                    data = stream.read(min(MAX_TEXT, left))
            except OSError:
                continue
            left -= len(data)
            yield path, data.decode("utf-8", errors="replace")


def described(
    records: Sequence[FileRecord], texts: Iterable[tuple[str, str]]
) -> dict[str, tuple[str, str]]:
    """Returns path of a file -> (sentence, "document:line"), where a document describes it.

    Args:
        records: facts of all files.
        texts: (path, text) of the documents.
    """
    said = ([one.path for one in records], stamp_of(_called, records))
    names = msgspec.msgpack.encode(said)
    if isinstance(texts, DocumentTexts):  # most runs after an edit need not read them
        make = partial(_of_texts, records, texts, names)
        return while_same("described", texts.root, texts.paths, _Described, make, names)
    return _of_texts(records, texts, names)


_Described = dict[str, tuple[str, str]]


def _of_texts(
    records: Sequence[FileRecord], texts: Iterable[tuple[str, str]], names: bytes
) -> _Described:
    """Returns what `described` does, as kept where the texts and the names are the same."""
    read = list(texts)
    whole = "\0".join(part for one in read for part in one).encode(errors="surrogateescape")
    key = names + msgspec.msgpack.encode([len(text) for _, text in read]) + whole

    def make() -> _Described:
        wanted: dict[str, list[str]] = {}
        for record in records:
            for name in _called(record):
                wanted.setdefault(name, []).append(record.path)
        return _described(wanted, read)

    return of_content("described", key, _Described, make)


def _described(
    wanted: Mapping[str, Sequence[str]], texts: Iterable[tuple[str, str]]
) -> dict[str, tuple[str, str]]:
    """Returns what documents say of files, whose paths stand by name; see `described`."""
    found: dict[str, list[tuple[str, str, int]]] = {}
    for path, text in texts:
        for name, line, sentence in _descriptions(path, text, wanted):
            found.setdefault(name, []).append((sentence, path, line))
    out: dict[str, tuple[str, str]] = {}
    for name, places in sorted(found.items()):
        for path in wanted[name]:
            near = [place for place in places if _may_mean(name, path, place[1])]
            if near:
                sentence, where, line = min(near, key=lambda one: (-_shared(path, one[1]), one))
                out[path] = (sentence, f"{where}:{line}")
    return out


@kept
def _called(record: FileRecord) -> list[str]:
    """Returns the names by which a document may mean a file, in lower case, sorted as written."""
    main = main_unit(record)
    return [
        name.lower() for name in sorted({stem_of(record.path), main.name if main else ""} - {""})
    ]


def _may_mean(name: str, path: str, document: str) -> bool:
    """Returns whether a document means this file: a plain word means one only in its own folder."""
    folder = _home(document)
    inside = f"{path}/".startswith(f"{folder}/") if folder else True
    return inside and ("_" in name or any(char.isdigit() for char in name) or bool(folder))


def _home(document: str) -> str:
    """Returns the folder that a document is about: that around a folder of documents."""
    folder = document.rpartition("/")[0]
    while _DOCS.search(folder):
        folder = folder.rpartition("/")[0]
    return folder


def _shared(path: str, document: str) -> int:
    mine, theirs = path.split("/")[:-1], document.split("/")[:-1]
    same = 0
    while same < min(len(mine), len(theirs)) and mine[same] == theirs[same]:
        same += 1
    return same


def _descriptions(
    path: str, text: str, wanted: Mapping[str, object]
) -> Iterator[tuple[str, int, str]]:
    """Yields (name in lower case, line, sentence) for each description of a wanted name."""
    key = f"{path}\0{text}".encode(errors="surrogateescape")
    kind = list[tuple[str, int, str]]
    for name, line, text_said in of_content(
        "descriptions", key, kind, lambda: [*_offers(path, text)]
    ):
        if name in wanted and (sentence := _sentence(text_said)):
            yield name, line, sentence


def _offers(path: str, text: str) -> Iterator[tuple[str, int, str]]:
    """Yields (name in lower case, line, text) for each description in a document."""
    lines = [line[:MAX_LINE] for line in text.split("\n")]
    stem = stem_of(path)
    name = _home(path).rpartition("/")[2] if _HOME.fullmatch(stem) else stem
    number, sentence = _opening(lines)
    yield name.lower(), number, _SPECIFIES.sub("", sentence)
    for number, line in enumerate(lines, 1):
        if line[:1] in "#=":
            name, sentence = _under_heading(lines, number)
        elif line.lstrip()[:1] == "|":
            name, sentence = _row(line)
        else:
            match = _BULLET.fullmatch(line.rstrip())
            name, sentence = (match[1], match[2]) if match else _begun(lines, number)
        if name and sentence:
            yield name.lower(), number, sentence


def _under_heading(lines: Sequence[str], number: int) -> tuple[str, str]:
    """Returns a heading's name with the rest of the heading or the paragraph below it."""
    match = _HEADING.fullmatch(lines[number - 1].rstrip())
    if not match:
        return "", ""
    if match[2] and len(match[2].split()) > 2:
        return match[1], match[2]
    return match[1], _paragraph(lines, number)


def _begun(lines: Sequence[str], number: int) -> tuple[str, str]:
    """Returns the name with which a paragraph begins, and the paragraph."""
    before = lines[number - 2] if number > 1 else ""
    match = _BEGINS.fullmatch(lines[number - 1].rstrip())
    if not match or (before.strip() and before[:1] != "#"):
        return "", ""
    return match[1], _paragraph(lines, number - 1)


def _opening(lines: Sequence[str]) -> tuple[int, str]:
    """Returns (line, text) of the first paragraph of a document, its title passed over."""
    ended = 0
    if lines[0].rstrip() == "---":
        ended = next((at for at, line in enumerate(lines[1:40], 1) if line.rstrip() == "---"), 0)
    for at, line in enumerate(
        lines[ended + 1 if ended else 0 : OPENING], ended + 1 if ended else 0
    ):
        plain = line.strip()
        if plain and not _NO_PROSE.match(plain):
            return at + 1, _paragraph(lines, at)
    return 0, ""


def _paragraph(lines: Sequence[str], start: int) -> str:
    """Returns the first paragraph from a line on (0-based), "" where something else comes."""
    found: list[str] = []
    for line in lines[start : start + 12]:
        plain = line.strip()
        if not plain:
            if found:
                break
            continue
        if _NO_PROSE.match(plain) and not plain.startswith(("[", "`", "*")):
            break
        found.append(plain)
    return " ".join(found)


def _row(line: str) -> tuple[str, str]:
    """Returns the name in the first cell of a table's row and its most worded other cell."""
    cells = line.strip().strip("|").split("|")
    match = _CELL.fullmatch(cells[0])
    if not match or len(cells) < 2:
        return "", ""
    return match[1] or match[2], max(cells[1:], key=lambda cell: (len(cell.split()), cell))


def _sentence(text: str) -> str:
    """Returns the first sentence of a document's text without its marks, "" where it is none."""
    plain = _LINKS.sub(lambda match: match[1] or "", text)
    first = next(iter(sentences(plain)), "")
    return clip(first, MAX_WORDS) if len(first.split()) > 2 else ""
