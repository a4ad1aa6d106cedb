"""Text of one file as every reader sees it: decoded, with comments and strings located.

Offsets count characters of `Source.text`; readers that need bytes pad non-ASCII characters.
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

_BOMS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_PLACEHOLDER = re.compile(r"\$(?<![\w$].)([A-Za-z_]\w*)\$(?![\w$])")
# A stringifying `" inside a macro body opens no string; an unterminated one ends at its line.
_TOKEN = re.compile(
    r"`\\?`?\"|\"(?:[^\"\\\n]|\\[\s\S])*\"?|//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)|\\[^\s\"\\]+(?=\s)"
)
_PROTECTED = re.compile(
    r"(?:`protected\b|(?:`|//\s*)pragma\s+protect\s+begin_protected)"
    r"([\s\S]*?)(?:`endprotected\b|(?:`|//\s*)pragma\s+protect\s+end_protected|\Z)"
)
_CONTROL = bytes(c for c in range(32) if c not in b"\t\n\v\f\r\x1b")
_NON_ASCII = re.compile(r"[^\x01-\x7f]")


class RawComment(NamedTuple):
    """One comment token: its offset, its text with markers, and whether code precedes it."""

    start: int
    text: str
    line: int
    end_line: int
    column: int
    trailing: bool


@dataclass(frozen=True, slots=True)
class Source:
    """A decoded file.

    `bare` is `text` with comments blanked, `code` also with the contents of strings blanked;
    all three have the same length, so offsets agree.
    """

    text: str
    bare: str
    code: str
    encoding: str
    protected: bool
    comments: tuple[RawComment, ...]
    starts: tuple[int, ...] = field(repr=False)

    def line_of(self, offset: int) -> int:
        """Returns the 1-based line of a character offset."""
        return bisect.bisect_right(self.starts, offset)

    def code_of(self, line: int, end_line: int) -> str:
        """Returns the code from a first to a last line, both 1-based."""
        end = self.starts[end_line] if end_line < len(self.starts) else len(self.code)
        return self.code[self.starts[line - 1] : end]

    def padded(self) -> str:
        """Returns the text with one ASCII byte per character."""
        return self.text if self.text.isascii() else ascii_only(self.text)


def ascii_only(text: str) -> str:
    """Returns `text` with every character that is not plain ASCII replaced by a question mark."""
    return _NON_ASCII.sub("?", text)


def decode(data: bytes) -> tuple[str, str]:
    """Returns (text, encoding) of any bytes; never fails."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return data[len(bom) :].decode(encoding, errors="replace"), encoding
    nul = data[:4096].count(0)
    if nul and nul * 3 >= len(data[:4096]) and len(data) > 3:
        encoding = "utf-16-le" if data[1] == 0 else "utf-16-be"
        text = data.decode(encoding, errors="replace")
        if text.count("\ufffd") * 10 < len(text) and ("\n" in text or ";" in text):
            return text, encoding
    if len(data[:4096].translate(None, _CONTROL)) * 20 < len(data[:4096]) * 19:
        return data.decode("latin-1"), "binary"
    try:
        return data.decode("utf-8"), "ascii" if data.isascii() else "utf-8"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "latin-1"


def read_source(data: bytes) -> Source:
    """Returns the source of a file's bytes."""
    text, encoding = decode(data)
    if "\r" in text and "\n" not in text:
        text = text.replace("\r", "\n")
    if "$" in text:
        # Generators leave `$NAME$` to fill in; as long, it reads as the identifier it stands for.
        text = _PLACEHOLDER.sub(r"_\1_", text)
    text, protected = _without_protected(text.replace("\0", " "))
    starts = line_starts(text)
    bare, code, comments = _blank(text, starts)
    return Source(text, bare, code, encoding, protected, comments, tuple(starts))


def line_starts(text: str) -> list[int]:
    """Returns the offset at which each line begins."""
    sizes = map((1).__add__, map(len, text.split("\n")))
    return [0, *accumulate(sizes)][:-1]


def without_comments(text: str) -> str:
    """Returns a text of the same length and lines with each comment as blanks; strings stay."""
    return _TOKEN.sub(lambda m: _spaces(m[0]) if m[0][0] == "/" else m[0], text)


def _without_protected(text: str) -> tuple[str, bool]:
    if "protect" not in text:
        return text, False
    found = False

    def blank(match: re.Match[str]) -> str:
        nonlocal found
        found = True
        return _spaces(match.group(0))

    return _PROTECTED.sub(blank, text), found


def _spaces(text: str) -> str:
    if "\n" not in text:
        return " " * len(text)
    return "\n".join(" " * len(part) for part in text.split("\n"))


def _blank(text: str, starts: list[int]) -> tuple[str, str, tuple[RawComment, ...]]:
    bare: list[str] = []
    code: list[str] = []
    comments: list[RawComment] = []
    done = 0
    for match in _TOKEN.finditer(text):
        token = match.group(0)
        start, end = match.span()
        head = token[0]
        if head == "/":
            gap = text[done:start]
            blank = _spaces(token)
            bare += (gap, blank)
            code += (gap, blank)
            comments.append(_comment(text, token, start, starts))
            done = end
        elif head == '"' and len(token) > 2:
            gap = text[done:start]
            bare += (gap, token)
            code += (gap, '"', _spaces(token[1:-1]), token[-1] if token[-1] == '"' else " ")
            done = end
    rest = text[done:]
    return "".join([*bare, rest]), "".join([*code, rest]), tuple(comments)


def _comment(text: str, token: str, start: int, starts: list[int]) -> RawComment:
    line = bisect.bisect_right(starts, start)
    begin = starts[line - 1]
    return RawComment(
        start=start,
        text=token,
        line=line,
        end_line=line + token.count("\n"),
        column=start - begin,
        trailing=bool(text[begin:start].strip()),
    )
