"""Identifiers and comments as plain words: what every sentence of an explanation is made of."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

from hdlgraph.index.abbreviations import ABBREVIATIONS, ACRONYMS, LAST, NOISE, PHRASES
from hdlgraph.model import FileRecord

_CAMEL = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+")
_TRAILING_DIGITS = re.compile(r"([a-z]+)(\d+)$")
_PORTS = re.compile(r"(\d)r(?:(\d))?w")
_CYCLES = re.compile(r"##\s*(\d+|\[[^\]]*\]|\([^)]*\)|`?\w+)")
_RULER = re.compile(r"[-=*#/_~+.|<>^!]{3,}")
_PRAGMA = re.compile(
    r"\b(lint_o(ff|n)|verilator|synopsys|synthesis|pragma|ascentlint|translate_o(ff|n)|spyglass"
    r"|coverage (off|on)|VCS|cadence|verilog_(lint|format)|verible|svlint|vlint)\b",
    re.I,
)
_CODE = re.compile(
    r"[;{}]\s*$|<=|&&|\|\||\bassign\b|\bbegin\b|\bendmodule\b|=\s*\S+;|`\w+\(|::type_id"
)
_LEGAL = re.compile(
    r"permission to use|hereby granted|merchantab|liabilit|liable|warrant(y|ies)|damages|"
    r"without fee|all rights reserved|redistribut|tortious|without limitation|licensed under|"
    r"obtain a copy|under the (terms|license)|spdx|copyright|foundation|author|developed (by|under)|"
    r"written by|supervision|<?\w[\w.]*@\w+[\w.]*\.\w+",
    re.I,
)
_META = re.compile(
    r"^\s*(@?\b(authors?|e-?mail|engineer|company|created?( by| on)?|date|copyright|licen[cs]e|spdx"
    r"|revision( history)?|version|history|contact|contributors?|project name|project|file( ?name)?"
    r"|language|tool versions?|target devices?|organi[sz]ation|maintainer|modified|changes?"
    r"|title|design name|module name|name|additional contributions by)\b)\s*[-:]+\s*",
    re.I,
)
_DESCRIPTION = re.compile(
    r"\b(description|brief|purpose|overview|function)\b\s*[-:]+\s*|\\brief\b|@brief", re.I
)
_SENTENCE = re.compile(
    r"(?<=[.!?])\s+(?=[A-Z0-9`'\"(])|\n\s*\n|\s+[-*•]\s+(?=[A-Z])|\n\s*(?=\d+[.)]\s)"
)
_LONG_SHORT = re.compile(r"((?:[A-Za-z][A-Za-z-]*\s+){2,7})\(([A-Z][A-Za-z]{1,6}[A-Z]?)s?\)")
_WORDLIKE = re.compile(r"[(\"'`]*[A-Za-z]+([-/'][A-Za-z]+)*[)\"'`.,:;!?]*")
_MINOR = frozenset("of and the for a an in to on with or by".split())


def escape(text: str) -> str:
    """Returns `text` with SystemVerilog's cycle delay spelt out: GraphRAG splits records at ##."""
    if "##" not in text:
        return text
    text = _CYCLES.sub(lambda m: f"{m[1]} cycle{'' if m[1] == '1' else 's'} later", text)
    return re.sub(r"#{2,}", " ", text)


_WHOLE = frozenset(
    word for words in ABBREVIATIONS.values() for word in words.split() if len(word) > 3
) | {"key", "bit", "map", "top", "add", "set", "pop", "push", "full", "out"}
_GLUED = frozenset(key for key in ABBREVIATIONS if len(key) > 2) | {"rx", "tx", "rd", "wr", "hw"}


@lru_cache(maxsize=1 << 16)
def compound(word: str) -> tuple[str, ...]:
    """Returns the known words that `word` is glued of ("reqfifo": req, fifo), or ()."""
    if word in _WHOLE or word in ABBREVIATIONS or not word.isalpha():
        return ()
    for cut in range(len(word) - 3, 1, -1):
        head, tail = word[:cut], word[cut:]
        if head in _GLUED or head in _WHOLE:
            if tail in _GLUED or tail in _WHOLE:
                return head, tail
            rest = compound(tail)
            if rest:
                return head, *rest
    return ()


def parts(identifier: str) -> list[str]:
    """Returns the lower-case parts of an identifier; known parts with digits (i2c) stay whole."""
    out: list[str] = []
    for chunk in identifier.replace("$", "_").split("_"):
        low = chunk.lower()
        if not chunk:
            continue
        plain = low.isalpha() and chunk in (low, chunk.upper())
        if plain or low in ABBREVIATIONS or low in ACRONYMS:
            out.append(low)
            continue
        if _PORTS.fullmatch(low):
            out.append(low)
            continue
        for piece in _CAMEL.findall(chunk):
            piece = piece.lower()
            digits = _TRAILING_DIGITS.match(piece)
            if digits and (digits[1] in ABBREVIATIONS or digits[1] in _WHOLE):
                out.extend((piece,) if piece in ABBREVIATIONS else digits.groups())
            else:
                out.append(piece)
    return out


class Vocabulary:
    """Turns identifiers into words: the general abbreviations plus those a repository explains."""

    def __init__(self, mined: Iterable[tuple[str, str]] = ()):
        pairs = sorted(mined)
        self._expand = {**ABBREVIATIONS, **dict(pairs)}
        self.digest = hashlib.sha256(repr(pairs).encode()).hexdigest()[:12]
        self._known: dict[str, str] = {}

    def words(self, identifier: str) -> str:
        """Returns an identifier in plain words, e.g. `rd_ptr_q` as "read pointer"."""
        known = self._known.get(identifier)
        if known is None:
            known = self._known[identifier] = self._spell(identifier)
        return known

    def _spell(self, identifier: str) -> str:
        pieces = parts(identifier.rpartition("::")[2])
        if len(pieces) > 1 and pieces[-1] in ("cs", "ns") and pieces[-2] in ("fsm", "state", "st"):
            pieces.pop()
        while len(pieces) > 1 and pieces[-1] in NOISE and pieces[-1] not in LAST:
            pieces.pop()
        while len(pieces) > 1 and pieces[0] in NOISE:
            pieces.pop(0)
        out: list[str] = []
        at = 0
        while at < len(pieces):
            pair = PHRASES.get((*pieces[at : at + 2],))
            text = pair or self._part(pieces[at], at == len(pieces) - 1 and at > 0)
            at += 2 if pair else 1
            if not out or out[-1] != text:
                out.append(text)
        return " ".join(out)

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
        inner = compound(piece) if len(piece) > 4 else ()
        return " ".join(self._expand.get(word, word) for word in inner) or piece

    def listing(self, identifiers: Iterable[str], limit: int = 12) -> str:
        """Returns distinct identifiers in words, comma separated, at most `limit`, in order."""
        seen = dict.fromkeys(filter(None, (self.words(name) for name in identifiers)))
        return ", ".join(list(seen)[:limit])


def mine_long_forms(records: Sequence[FileRecord]) -> tuple[tuple[str, str], ...]:
    """Returns (abbreviation, long form) pairs that comments spell as "Long Form (LF)".

    The long form's initials must be the abbreviation's letters. A form that stands in one file
    only does not overrule the general dictionary.
    """
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for record in records:
        texts = [record.header, *(unit.comment for unit in record.units)]
        texts.extend(comment.text for comment in record.comments)
        seen = {
            pair
            for text in texts
            if "(" in text
            for match in _LONG_SHORT.finditer(text)
            if (pair := _long_form(match[1], match[2]))
        }
        for short, long in seen:
            found[short][long] += 1
    mined = []
    for short, forms in sorted(found.items()):
        long, count = min(forms.items(), key=lambda item: (-item[1], item[0]))
        if short not in ABBREVIATIONS or count > 1:
            mined.append((short, long))
    return tuple(mined)


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


@lru_cache(maxsize=1 << 16)
def sentences(text: str) -> tuple[str, ...]:
    """Returns the prose sentences of a comment: no rulers, pragmas, code, names or dates."""
    kept: list[str] = []
    for line in text.replace("\r", "").split("\n"):
        line = _RULER.sub(" ", line).strip(" \t*/!<|")
        if not line:
            kept.append("")
            continue
        if _PRAGMA.search(line) or _META.match(line) or _CODE.search(line) or line[0] == "`":
            continue
        kept.append(_DESCRIPTION.sub("", line))
    out: list[str] = []
    for piece in _SENTENCE.split("\n".join(kept)):
        piece = escape(" ".join(piece.split())).strip(" -:,")
        if is_prose(piece) and not _LEGAL.search(piece):
            out.append(piece)
    return tuple(out)


def is_prose(text: str) -> bool:
    """Returns whether a sentence is made of words rather than of code, art or a table."""
    tokens = text.split()
    if len(tokens) < 2:
        return False
    letters = sum(1 for token in tokens if _WORDLIKE.fullmatch(token))
    return letters >= 2 and letters >= 0.55 * len(tokens)


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
