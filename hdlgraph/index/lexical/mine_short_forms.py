"""Short forms that comments and documents define: "Physical Memory Protection (PMP)" and the like.

Precision goes before number: the letters of the short form must be the initials of the long
form's words, in order and without one left over. Small words may be left out; a word may give
its capital letters or, where the short form is glued of parts (PWRMGR), its consonants.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

import msgspec

from hdlgraph.index.kept.functions import kept, of_content
from hdlgraph.index.kept.unchanged import Cut, by_segment, while_same
from hdlgraph.knowledge.dictionary import MINED, phrase
from hdlgraph.knowledge.short_forms import ShortForm
from hdlgraph.model import FileRecord
from hdlgraph.safety.safe_files import open_inside

MAX_WORDS = 8  # of a long form
MAX_TEXT = 400_000  # bytes of one document that are read
MAX_DOCUMENTS = 5_000
RIVAL = 0.34  # share of the commonest long form's places from which another one counts too

_SHORT = r"([A-Z][A-Za-z0-9]{1,8}?)s?"
_MARKS = r"[\"'`*_]*"
_WORD = r"[A-Za-z]+(?:[-/][A-Za-z]+)*"
_WORDS = re.compile(rf"(?:the[ ])?{_MARKS}((?:{_WORD}[ ]+|&[ ]+)*{_WORD})")
_LAST_WORDS = re.compile(rf"(?:{_WORD}[ ]+|&[ ]+)+$")
_REACH = 120  # characters before a parenthesis in which its long form stands
_AFTER = re.compile(rf"\({_MARKS}{_SHORT}{_MARKS}\)")
_FIRST = r"([A-Z](?<!\w.)[A-Za-z0-9]{1,8}?)s?"
"""`_SHORT` where a word begins; a letter first, as the engine passes over all else fast."""
_BEFORE = re.compile(rf"{_FIRST}{_MARKS} \(")
_DEFINITION = re.compile(
    rf"{_FIRST}{_MARKS}(?: (?:stands for|is short for|abbreviates|means"
    rf"|is an? (?:abbreviation|acronym) (?:of|for)) | ?(?:[:=–—]| --? ) ?)"
)
_CAPITALS = re.compile(r"[A-Z][A-Za-z0-9]{0,7}[A-Z]")
"""Stands in each text that defines a short form: that has two capitals or more."""
_SMALL = frozenset("a an and at by for from in of on or the to with per as is & into".split())
_TITLED = re.compile(r"[A-Z]?[a-z]+(?:[-/][A-Z]?[a-z]+)*")
_Defined = tuple[str, str, tuple[str, ...], str]
"""A short form, its long form, that as stemmed words, and the place."""
_VOWELS = frozenset("aeiou")
_NOT_FIRST = _SMALL | frozenset(
    ["this", "that", "these", "those", "its", "our", "use", "uses", "using", "when", "if"]
)


def write_definitions(
    root: Path,
    records: Sequence[FileRecord],
    paths: Sequence[str],
    folder: Path,
    cuts: Sequence[Cut],
) -> int:
    """Writes the short forms of a repository into a generation's folder; returns how many.

    Args:
        root: the repository.
        records: facts of all files.
        paths: of its documents.
        folder: of the generation.
        cuts: the segments of the files.
    """
    kind = list[_Defined]
    said = by_segment("short forms of comments", records, cuts, kind, _of_comments)
    first = paths[:MAX_DOCUMENTS]
    make = partial(_of_documents, root, first)
    written = while_same("short forms of documents", root, first, kind, make)
    mined = _mined(chain(*said, written))
    (folder / MINED).write_bytes(msgspec.json.encode(mined))
    return len(mined)


def _of_comments(records: Sequence[FileRecord]) -> list[_Defined]:
    return [one for record in records for one in in_comments(record)]


def _of_documents(root: Path, paths: Sequence[str]) -> list[_Defined]:
    return [one for path, text in read_documents(root, paths) for one in in_document(path, text)]


def read_documents(root: Path, paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yields (path, text) of the first documents of a repository."""
    root = root.resolve()
    for path in paths[:MAX_DOCUMENTS]:
        try:
            with open_inside(root, path) as stream:
                yield path, stream.read(MAX_TEXT).decode("utf-8", errors="replace")
        except OSError:
            continue


def mine_definitions(
    records: Sequence[FileRecord], texts: Iterable[tuple[str, str]] = ()
) -> list[ShortForm]:
    """Returns the short forms that comments and documents define, sorted.

    Of several long forms of one short form the one in most files comes first; others follow
    where they are not rare beside it.

    Args:
        records: facts of all files.
        texts: (path, text) of the documents of the repository.
    """
    return _mined(_all_defined(records, texts))


def _mined(defined: Iterable[_Defined]) -> list[ShortForm]:
    """Returns short forms, sorted, of all that comments and documents define."""
    found: dict[str, dict[tuple[str, ...], Counter[str]]] = defaultdict(
        lambda: defaultdict(Counter)
    )
    places: dict[tuple[str, tuple[str, ...]], str] = {}
    for short, long, words, place in defined:
        found[short][words][long] += 1
        places.setdefault((short, words), place)
    mined = []
    for short, forms in sorted(found.items()):
        counts = {words: sum(spellings.values()) for words, spellings in forms.items()}
        most = max(counts.values())
        for words in sorted(counts, key=lambda words: (-counts[words], words)):
            if counts[words] >= RIVAL * most:
                long = min(forms[words].items(), key=lambda item: (-item[1], item[0]))[0]
                mined.append(ShortForm(short, long, "", "mined", places[short, words]))
    return mined


def _all_defined(
    records: Sequence[FileRecord], texts: Iterable[tuple[str, str]]
) -> Iterator[_Defined]:
    """Yields what comments and documents define, by place."""
    for record in records:
        yield from in_comments(record)
    for path, text in texts:
        yield from in_document(path, text)


@kept
def in_comments(record: FileRecord) -> tuple[_Defined, ...]:
    """Returns the short forms that the comments of a file define, each text once."""
    lines: dict[str, int] = {}
    for comment in record.comments:
        lines.setdefault(comment.text, comment.line)
    for unit in record.units:
        lines.setdefault(unit.comment, unit.line)
    lines.setdefault(record.header, 1)
    return tuple(_defined(record.path, ((line, text) for text, line in lines.items())))


def in_document(path: str, text: str) -> tuple[_Defined, ...]:
    """Returns the short forms that a document defines."""
    key = f"{path}\0{text}".encode(errors="surrogateescape")
    make = partial(_of_document, path, text)
    return of_content("short forms", key, tuple[_Defined, ...], make)


def _of_document(path: str, text: str) -> tuple[_Defined, ...]:
    return tuple(_defined(path, _blocks(text)))


def _defined(path: str, texts: Iterable[tuple[int, str]]) -> Iterator[_Defined]:
    for line, text in texts:
        for short, long in definitions(text):
            yield short, long, phrase(long), f"{path}:{line}" if line else path


def definitions(text: str) -> Iterator[tuple[str, str]]:
    """Yields (short form, long form) of each definition in a text, once each."""
    if not _CAPITALS.search(text):  # of most comments nothing else need be asked
        return
    text = " ".join(text.split())
    seen: set[tuple[str, str]] = set()
    for match in _AFTER.finditer(text):
        before = _LAST_WORDS.search(text, max(0, match.start() - _REACH), match.start())
        if before:
            seen.add((match[1], _suffix(match[1], before[0].split()) or ""))
    for match in _BEFORE.finditer(text):
        inside = _WORDS.match(text, match.end())
        if inside and text[inside.end() : inside.end() + 1] == ")":
            seen.add((match[1], _whole(match[1], inside[1].split()) or ""))
    for match in _DEFINITION.finditer(text):
        after = _WORDS.match(text, match.end(), match.end() + _REACH)
        if after:
            seen.add((match[1], _prefix(match[1], after[1].split()) or ""))
    yield from sorted((short, _plain(long)) for short, long in seen if long)


def _suffix(short: str, words: list[str]) -> str | None:
    """Returns the fewest last words that spell `short`."""
    for start in range(len(words) - 1, max(-1, len(words) - 1 - MAX_WORDS), -1):
        if long := _whole(short, words[start:]):
            return long
    return None


def _prefix(short: str, words: list[str]) -> str | None:
    """Returns the fewest first words that spell `short`; of two letters only all words."""
    least = len(words) if len(short) < 3 else 1
    for end in range(least, min(len(words), MAX_WORDS) + 1):
        if long := _whole(short, words[:end]):
            return long
    return None


def _whole(short: str, words: list[str]) -> str | None:
    """Returns the words as a long form when they spell `short` from the first to the last."""
    if not 1 < len(words) <= MAX_WORDS or words[0].lower() in _NOT_FIRST:
        return None
    if words[-1].lower() in _SMALL or sum(char.isupper() for char in short) < 2:
        return None
    if short.lower() in (word.lower() for word in words):
        return None
    pieces = [piece for word in words for piece in re.split(r"[-/]", word) if piece]
    if len(pieces) > 2 * MAX_WORDS:
        return None
    return " ".join(words) if _spells(short.lower(), pieces, len(short) > 3) else None


def _spells(letters: str, words: Sequence[str], glued: bool) -> bool:
    """Returns whether words give `letters`; of a glued short form a word may give several."""
    ends = {0}
    """Letters that the words so far may have given; small words may give none."""
    for word in words:
        more = {at + taken for at in ends for taken in _takes(letters[at:], word, glued)}
        ends = more | ends if word.lower() in _SMALL else more
    return len(letters) in ends


def _takes(letters: str, word: str, glued: bool) -> Iterator[int]:
    """Yields how many letters of the short form the word may give, its first one among them."""
    low = word.lower()
    if letters[:1] not in {low[0], "x" if low.startswith("ex") else low[0]}:
        return
    yield 1
    inner = "".join(char.lower() for char in word[1:] if char.isupper())
    if inner and not word.isupper() and letters[1:].startswith(inner):
        yield 1 + len(inner)
    for taken in (2, 3, 4) if glued else ():
        part = letters[:taken]
        if len(part) == taken and (low.startswith(part) or _bones(part, low)):
            yield taken


def _bones(part: str, word: str) -> bool:
    """Returns whether `part` is the first letter and later consonants of `word`, in order."""
    if _VOWELS.intersection(part[1:]):
        return False
    at = 0
    for letter in part[1:]:
        at = word.find(letter, at + 1)
        if at < 0:
            return False
    return True


def _plain(long: str) -> str:
    """Returns a long form in lower case but for words in capitals and in mixed case."""
    return " ".join(w.lower() if _TITLED.fullmatch(w) else w for w in long.split())


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yields (line, text) of what blank lines part in a document."""
    line = 1
    for block in re.split(r"(\n[ \t]*\n)", text):
        if block.strip():
            yield line, block
        line += block.count("\n")
