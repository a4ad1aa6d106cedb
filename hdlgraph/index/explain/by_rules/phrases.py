"""Identifiers as plain words, and the small parts of which sentences are put together."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

import msgspec

from hdlgraph.index.kept.functions import kept, of_content
from hdlgraph.index.kept.unchanged import stamp_of
from hdlgraph.knowledge.abbreviations import ACRONYMS, LAST, NOISE, PHRASES, abbreviations
from hdlgraph.knowledge.projects import Projects
from hdlgraph.model import FileRecord

_CAMEL = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+")
_TRAILING_DIGITS = re.compile(r"([a-z]+)(\d+)$")
_INSTANCE = frozenset(("inst", "instance"))
GLUED_CHARS = 40
"""Longer runs of letters and digits are glued of nothing that is known."""
_MODEL = re.compile(r"(?!.*\dto\d)(?=.*\d.*[a-z])[a-z]*(?:\d+[a-z]{1,2})+\d*")  # 8b10b, cv32e40p
_PORTS = re.compile(r"(\d)r(?:(\d))?w")
_OF_TYPES = ("_e", "_t", "_enum")
_LONG_SHORT = re.compile(
    r"(?<![A-Za-z-])((?:[A-Za-z][A-Za-z-]{0,60}+\s{1,200}+){2,7})\(([A-Z][A-Za-z]{1,6}[A-Z]?)s?\)"
)
_MINOR = frozenset("of and the for a an in to on with or by as at is it be do if no so".split())


_SHORT_WORDS = frozenset({"key", "bit", "map", "top", "add", "set", "pop", "push", "full", "out"})
_SHORT_PARTS = frozenset({"rx", "tx", "rd", "wr", "hw"})


@lru_cache(maxsize=8)
def _whole_words(projects: Projects) -> frozenset[str]:
    """Returns the everyday words that an identifier's part may be, alone or glued to another."""
    words_of = (word for words in abbreviations(projects).values() for word in words.split())
    return frozenset(word for word in words_of if len(word) > 3) | _SHORT_WORDS


@lru_cache(maxsize=8)
def _gluable(projects: Projects) -> frozenset[str]:
    """Returns the abbreviations and everyday words that an identifier's part may be glued of."""
    long = frozenset(key for key in abbreviations(projects) if len(key) > 2)
    return long | _SHORT_PARTS | _whole_words(projects)


@lru_cache(maxsize=1 << 16)
def compound(word: str, projects: Projects = ()) -> tuple[str, ...]:
    """Returns the known words that `word` is glued of ("reqfifo": req, fifo), or ()."""
    known, gluable = abbreviations(projects), _gluable(projects)
    if word in _whole_words(projects) or word in known or not word.isalpha():
        return ()
    if not 5 <= len(word) <= GLUED_CHARS:
        return ()
    for cut in range(len(word) - 3, 1, -1):
        head, tail = word[:cut], word[cut:]
        if head in gluable:
            if tail in gluable:
                return head, tail
            rest = compound(tail, projects) if head in known else ()
            if rest and len(rest) < 3:
                return head, *rest
    return ()


def _is_model(low: str, chunk: str) -> bool:
    if len(low) > GLUED_CHARS:
        return False
    return bool(_MODEL.fullmatch(low)) and not chunk[1:].isupper()


def parts(identifier: str, projects: Projects = ()) -> list[str]:
    """Returns the lower-case parts of an identifier; known parts with digits (i2c) stay whole."""
    out: list[str] = []
    for chunk in identifier.replace("$", "_").split("_"):
        if chunk:
            out += _pieces(chunk, projects)
    return out


@lru_cache(maxsize=1 << 16)
def _pieces(chunk: str, projects: Projects) -> tuple[str, ...]:
    """Returns the lower-case parts of what stands between two underscores."""
    known, whole = abbreviations(projects), _whole_words(projects)
    low = chunk.lower()
    plain = low.isalpha() and chunk in (low, chunk.upper())
    if plain or low in known or low in ACRONYMS:
        return (low,)
    if _PORTS.fullmatch(low) or _is_model(low, chunk):
        return (low,)
    out: list[str] = []
    for piece in _CAMEL.findall(chunk):
        piece = piece.lower()
        digits = _TRAILING_DIGITS.match(piece)
        if digits and (digits[1] in known or digits[1] in whole):
            out.extend((piece,) if piece in known else digits.groups())
        else:
            out.append(piece)
    return tuple(out)


_PAIRED = frozenset(first for first, _ in PHRASES)
"""The parts with which a pair may begin that has words of its own."""


class Vocabulary:
    """Turns identifiers into words: the general abbreviations plus those a repository explains.

    Args:
        mined: (abbreviation, long form) pairs that comments of the repository spell out.
        projects: the project tables in force.
    """

    def __init__(self, mined: Iterable[tuple[str, str]] = (), projects: Projects = ()) -> None:
        pairs = sorted(mined)
        self.projects = projects
        self._expand = {**abbreviations(projects), **dict(pairs)}
        self._mined = dict(pairs)
        self._known: dict[str, str] = {}
        self._parts: dict[str, list[str]] = {}
        self._said: dict[tuple[str, bool], str] = {}
        self._other: frozenset[str] = frozenset()
        self._base: Vocabulary | None = None

    def where(self, chosen: Iterable[tuple[str, str]]) -> Vocabulary:
        """Returns the vocabulary of a place where parts with several meanings have these.

        Args:
            chosen: what such parts stand for, "" for nothing that is known.
        """
        here = Vocabulary(self._mined.items(), self.projects)
        here._parts = self._parts
        here._expand |= {part: meaning for part, meaning in chosen if part not in self._mined}
        other = (part for part, meaning in chosen if here._expand[part] != self.meaning(part))
        here._other, here._base = frozenset(other), self
        return here

    def words(self, identifier: str) -> str:
        """Returns an identifier in plain words, e.g. `rd_ptr_q` as "read pointer"."""
        known = self._known.get(identifier)
        if known is None:
            known = self._known[identifier] = self._spell(identifier)
        return known

    def parts(self, identifier: str) -> list[str]:
        """Returns the lower-case parts of an identifier; see the function `parts`."""
        return list(self._parts_of(identifier))

    def _parts_of(self, identifier: str) -> list[str]:
        found = self._parts.get(identifier)
        if found is None:
            found = self._parts[identifier] = parts(identifier, self.projects)
        return found

    def type_words(self, name: str) -> str:
        """Returns the name of a type in words, without the endings that say it is one."""
        while name.endswith(_OF_TYPES):
            name = name[: name.rindex("_")]
        return self.words(name)

    def begun(self, text: str) -> str:
        """Returns words of an identifier as a sentence begins with them."""
        return capital(text)

    def meaning(self, part: str) -> str:
        """Returns what a part of an identifier stands for, "" where that is not known."""
        return self._expand.get(part, "")

    def instance(self, name: str) -> str:
        """Returns what an instance's name says, "" for one such as `u_inst` that says nothing."""
        pieces = [piece for piece in self.parts(name) if piece not in _INSTANCE]
        return self.words("_".join(pieces)) if set(pieces) - NOISE else ""

    def _spell(self, identifier: str) -> str:
        parted = self._parts_of(identifier.rpartition("::")[2])
        if self._base is not None and self._other.isdisjoint(parted):
            return self._base.words(identifier)
        pieces = list(parted)
        if len(pieces) > 1 and pieces[-1] in ("cs", "ns") and pieces[-2] in ("fsm", "state", "st"):
            pieces.pop()
        while len(pieces) > 1 and pieces[-1] in NOISE and pieces[-1] not in LAST:
            pieces.pop()
        out: list[str] = []
        first = next((n for n, piece in enumerate(pieces) if piece not in NOISE), len(pieces) - 1)
        at = max(first, 0)
        while at < len(pieces):
            pair = PHRASES.get((*pieces[at : at + 2],)) if pieces[at] in _PAIRED else None
            text = pair or self._told(pieces[at], at == len(pieces) - 1 and at > first)
            at += 2 if pair else 1
            if not out or out[-1] != text:
                out.append(text)
        return " ".join(out)

    def _told(self, piece: str, last: bool) -> str:
        key = (piece, last)
        found = self._said.get(key)
        if found is None:
            found = self._said[key] = self._part(piece, last)
        return found

    def _part(self, piece: str, last: bool) -> str:
        if last and piece in LAST:
            return LAST[piece]
        known = self._expand.get(piece)
        if known:
            return known
        if piece in ACRONYMS:
            return piece.upper()
        ports = _PORTS.fullmatch(piece)
        if ports:
            return f"{ports[1]} read {ports[2]} write port" if ports[2] else "single port"
        inner = compound(piece, self.projects) if len(piece) > 4 else ()
        return " ".join(self._expand.get(word, word) for word in inner) or piece

    def listing(self, identifiers: Iterable[str], limit: int = 12) -> str:
        """Returns distinct identifiers in words, comma separated, at most `limit`, in order."""
        seen = dict.fromkeys(filter(None, (self.words(name) for name in identifiers)))
        return ", ".join(list(seen)[:limit])


def mine_long_forms(
    records: Sequence[FileRecord], projects: Projects = ()
) -> tuple[tuple[str, str], ...]:
    """Returns (abbreviation, long form) pairs that comments spell as "Long Form (LF)".

    The long form's initials must be the abbreviation's letters. A form that stands in one file
    only does not overrule the general dictionary.
    """
    key = msgspec.msgpack.encode((projects, stamp_of(_long_forms, records)))
    kind = tuple[tuple[str, str], ...]
    return of_content("long forms", key, kind, lambda: _mined(records, projects))


def _mined(records: Sequence[FileRecord], projects: Projects) -> tuple[tuple[str, str], ...]:
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for record in records:
        for short, long in _long_forms(record):
            found[short][long] += 1
    mined = []
    for short, forms in sorted(found.items()):
        long, count = min(forms.items(), key=lambda item: (-item[1], item[0]))
        if short not in _MINOR and (short not in abbreviations(projects) or count > 1):
            mined.append((short, long))
    return tuple(mined)


@kept
def _long_forms(record: FileRecord) -> list[tuple[str, str]]:
    """Returns the (abbreviation, long form) pairs of a file, sorted, each once."""
    texts = [record.header, *(unit.comment for unit in record.units)]
    texts.extend(comment.text for comment in record.comments)
    seen = {
        pair
        for text in texts
        if "(" in text
        for match in _LONG_SHORT.finditer(text)
        if (pair := _long_form(match[1], match[2]))
    }
    return sorted(seen)


def _long_form(before: str, short: str) -> tuple[str, str] | None:
    letters = short.lower()
    tokens = re.findall(r"[A-Za-z]+", before.lower())
    for start in range(len(tokens)):
        tail = tokens[start:]
        if tail[0] in _MINOR:
            continue
        for chosen in (tail, [token for token in tail if token not in _MINOR]):
            if len(chosen) > 1 and "".join(token[0] for token in chosen) == letters:
                return letters, " ".join(tail)
    return None


def clip(text: str, limit: int) -> str:
    """Returns at most `limit` words of `text`, whole where that fits, with no dangling mark."""
    tokens = text.split()
    if len(tokens) <= limit:
        return text
    return " ".join(tokens[:limit]).rstrip(" ,;:(-") + " ..."


def finish(text: str) -> str:
    """Returns `text` as a sentence: first letter as it is, a full stop at the end."""
    text = text.strip().rstrip(" ,;:")
    return text if not text or text[-1] in ".!?" else text + "."


def capital(text: str) -> str:
    """Returns `text` with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def article(noun: str) -> str:
    """Returns `noun` with its indefinite article."""
    first = noun.split(" ", 1)[0]
    if first.isupper() and len(first) > 1:  # spelt letter by letter, but for the spoken ones
        vowel = first[0] in "AEFHILMNORSX" and not first.startswith(("RAM", "ROM", "RISC", "SHA"))
    else:
        low = first.lower()
        vowel = low[:1] in tuple("aeiou") and not low.startswith(("uni", "use", "one", "uart"))
    return f"{'an' if vowel else 'a'} {noun}"


def join(items: Sequence[str]) -> str:
    """Returns items as "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    return ", ".join(items[:-1]) + " and " + items[-1]
