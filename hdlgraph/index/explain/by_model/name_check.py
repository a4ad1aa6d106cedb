"""Checks the names in a model's explanation: those that the file does not have are taken out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import msgspec

from hdlgraph.index.explain.by_model.answer import FIELDS, split_sentences
from hdlgraph.index.explain.by_rules.protocols import bare
from hdlgraph.index.explain.neighbourhood import Neighbourhood
from hdlgraph.index.parse.late import whole
from hdlgraph.model import Explanation, FileRecord
from hdlgraph.parsers.text.expressions import KEYWORDS

_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_QUOTED = re.compile(r"`{1,3}([^`\s][^`\n]{0,80}?)`{1,3}")
# snake_case and ALL_CAPS with an underscore; CamelCase counts only with a digit in it, because
# names of products and protocols (TileLink, OpenTitan) are written alike.
_SNAKE = re.compile(r"(?<![\w$./-])[A-Za-z][A-Za-z0-9$]*(?:_+[A-Za-z0-9$]+)+_?\b")
_CAMEL = re.compile(r"(?<![\w$./-])[A-Za-z][A-Za-z0-9]*?[a-z]\d*[A-Z][A-Za-z0-9]*\b")
_PLAIN = re.compile(r"[a-z]{1,}|[A-Z][a-z]+|[A-Z]+s?|\d\w*")
_NOT_NAMES = frozenset(
    """x86_64 x64_86 utf_8 iso_8859 ieee_754 sha_1 sha_2 sha_3 sha_256 sha_384 sha_512 sha2_256
        sha3_256 aes_128 aes_192 aes_256 chacha8 chacha12 chacha20 usb_2 usb_3 pcie_3
        gpl_v2""".split()
)
_LIBRARY = re.compile(r"(?:uvm|ovm|vmm|tlm|avm)_\w+|\w+_phase|type_id|\$\w+", re.I)
_LITERAL = re.compile(r"[\d_]+|\d*'[sS]?[bBoOdDhH][\w?]+")


class NamesFound(msgspec.Struct, frozen=True):
    """Identifiers that an explanation names, and those of them that the file does not have."""

    named: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


class FileNames:
    """The names that an explanation of a file may give.

    Case does not count, nor markers of direction: `rst_n` stands for `rst_ni`. A last part may be
    left out behind an asterisk, and a plural be made.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._names = {name.lower() for text in texts for name in _WORD.findall(text)}
        self._bare = {bare(name) for name in self._names}
        self._parts: set[str] | None = None

    @classmethod
    def of_file(cls, record: FileRecord, around: Neighbourhood, text: str) -> FileNames:
        """Returns the names in a file, in its facts and in what surrounds it."""
        return cls([text, _facts(record), *_surroundings(record, around)])

    def plus(self, texts: Iterable[str]) -> FileNames:
        """Returns these names and those in further texts."""
        more = FileNames(texts)
        more._names |= self._names
        more._bare |= self._bare
        return more

    def __contains__(self, name: str) -> bool:
        low = name.lower().strip("_")
        if not low or low in KEYWORDS or low in _NOT_NAMES or _LIBRARY.fullmatch(low):
            return True
        if self._has(low):
            return True
        return any(low.endswith(end) and self._has(low[: -len(end)]) for end in ("s", "es"))

    def _has(self, low: str) -> bool:
        return low in self._names or low in self._bare or bare(low) in self._bare

    def begins(self, head: str) -> bool:
        """Returns whether a name begins with `head`."""
        return any(name.startswith(head.lower()) for name in self._names)

    def holds(self, word: str) -> bool:
        """Returns whether a plain word stands inside a name (idle in `StIdle`)."""
        if self._parts is None:
            self._parts = {part for name in self._names for part in _split(name)}
        low = word.lower()
        return low in self._parts or any(low in name for name in self._names)


def _split(name: str) -> list[str]:
    return [part for part in re.split(r"[_$\d]+", name) if part]


def _facts(record: FileRecord) -> str:
    """Returns every string of the record: macros and readers add names the text only implies."""
    return msgspec.json.encode(whole(record)).decode("utf-8", "replace").replace("\\n", "\n")


def _surroundings(record: FileRecord, around: Neighbourhood) -> list[str]:
    return [record.path, msgspec.json.encode(around).decode("utf-8", "replace")]


def names_in(text: str) -> list[str]:
    """Returns the distinct identifiers that a text names, in order.

    Identifiers are words with an underscore, CamelCase with a digit, and what stands in
    backquotes; of a dotted or scoped name each part counts.
    """
    found: dict[int, str] = {}
    for match in _QUOTED.finditer(text):
        for part in _WORD.finditer(match[1]):
            found[match.start(1) + part.start()] = part[0]
    for match in _SNAKE.finditer(text):
        found.setdefault(match.start(), match[0])
    for match in _CAMEL.finditer(text):
        if any(char.isdigit() for char in match[0]):
            found.setdefault(match.start(), match[0])
    ordered = (found[at] for at in sorted(found))
    return list(dict.fromkeys(name for name in ordered if not _LITERAL.fullmatch(name)))


def check_names(text: str, known: FileNames) -> NamesFound:
    """Returns the identifiers of a text, and which of them are not known."""
    named = names_in(text)
    return NamesFound(
        tuple(named), tuple(name for name in named if not _is_known(name, text, known))
    )


def _is_known(name: str, text: str, known: FileNames) -> bool:
    if name in known:
        return True
    if _PLAIN.fullmatch(name) and "_" not in name:  # a word in backquotes
        return known.holds(name)
    for mark in ("*", "_*", "[", "<", "{"):  # a family: `alert_*`, `rdata_[0]`
        if f"{name}{mark}" in text and known.begins(name.rstrip("_")):
            return True
    return False


def without_unknown(explanation: Explanation, known: FileNames) -> tuple[Explanation, NamesFound]:
    """Returns the explanation without what it says of unknown names, and the names found in it.

    A clause that names something unknown is left out; a purpose that would be empty keeps its
    sentence with the name in plain words, or without backquotes.
    """
    texts = [getattr(explanation, name) for name in FIELDS]
    names_found = check_names("\n".join([*texts, *explanation.concepts]), known)
    if not names_found.unknown:
        return explanation, names_found
    pattern = _any_of(names_found.unknown)
    changed = {
        name: " ".join(filter(None, (_pruned(s, pattern) for s in split_sentences(text))))
        for name, text in zip(FIELDS, texts, strict=True)
    }
    if not changed["purpose"]:
        changed["purpose"] = pattern.sub(lambda m: _in_words(m[0]), explanation.purpose)
    concepts = tuple(phrase for phrase in explanation.concepts if not pattern.search(phrase))
    return msgspec.structs.replace(explanation, **changed, concepts=concepts), names_found


@lru_cache(maxsize=256)
def _any_of(names: tuple[str, ...]) -> re.Pattern[str]:
    listed = "|".join(re.escape(name) for name in sorted(names, key=lambda n: (-len(n), n)))
    return re.compile(rf"`?(?<![\w$])(?:{listed})(?![\w$])`?")


def _pruned(sentence: str, pattern: re.Pattern[str]) -> str:
    """Returns a sentence without the clauses that hold the pattern; "" if none is left."""
    if not pattern.search(sentence):
        return sentence
    clauses = [clause for clause in sentence.split("; ") if not pattern.search(clause)]
    text = "; ".join(clauses)
    return text if not text or text[-1] in ".!?" else text + "."


def _in_words(name: str) -> str:
    return " ".join(name.strip("`").replace("_", " ").split()).lower()
