"""Reads Hjson, JSON for people (comments, few quotes and commas), with the line of each value.

A reader of our own: packages for it tell no lines, and set no limits to what a stranger wrote.
"""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn, TypeAlias

DEPTH = 40
"""Objects and lists inside each other."""
VALUES = 200_000
"""Values of one file."""
Value: TypeAlias = "str | dict[str, Node] | list[Node]"

_GAP = re.compile(r"(?:[\s,]+|#[^\n]*|//[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/)*+")
_KEY = re.compile(r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[^\s,:{}\[\]"']+)""")
_COLON = re.compile(r"(?:\s+|#[^\n]*|//[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/)*+:[ \t\r\n]*+")
_QUOTED = re.compile(r'"((?:[^"\\\n]|\\.)*)"|\'((?!\'\')(?:[^\'\\\n]|\\.)*)\'')
_WORD = re.compile(
    r"(?:-?\d[\w.]*(?:(?<=[eE])[+-]\d+)?|true|false|null)(?=[ \t\r]*(?:[,}\]\n#]|//|/\*|\Z))"
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class HjsonError(ValueError):
    """A text is no Hjson, or has more than is read; the message names the line."""


class Node(NamedTuple):
    """A value and the line, from 1, where it begins: text, or an object or list of nodes.

    Numbers, `true`, `false` and `null` are text as they are written.
    """

    line: int
    value: Value

    def text(self, default: str = "") -> str:
        """Returns the text of a node that is no object and no list, else `default`."""
        return self.value if isinstance(self.value, str) else default

    def get(self, key: str) -> Node:
        """Returns the value under a key; an empty text where there is none."""
        found = self.value.get(key) if isinstance(self.value, dict) else None
        return found if found is not None else Node(self.line, "")

    def items(self) -> list[Node]:
        """Returns the nodes of a list, none of anything else."""
        return self.value if isinstance(self.value, list) else []


def read_hjson(text: str) -> Node:
    """Returns the value that a text holds.

    Raises:
        HjsonError: it is broken, nested too deep or too large.
    """
    return _Reader(text).document()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text.replace("\r\n", "\n")
        self._at = 0
        self._counted, self._line = 0, 1
        self._left = VALUES

    def document(self) -> Node:
        self._gap()
        opens = self._text[self._at : self._at + 1]
        found = self._value(0) if opens in ("{", "[") else Node(1, self._object(0, ""))
        self._gap()
        if self._at < len(self._text):
            self._fail("something stands behind the end of the value")
        return found

    def _gap(self) -> None:
        found = _GAP.match(self._text, self._at)
        self._at = found.end() if found else self._at

    def _here(self) -> int:
        """Returns the present line; each line is counted once."""
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def _fail(self, why: str) -> NoReturn:
        raise HjsonError(f"line {self._here()}: {why}")

    def _value(self, depth: int) -> Node:
        line = self._here()
        self._left -= 1
        if self._left < 0:
            self._fail(f"more than {VALUES} values")
        if depth > DEPTH:
            self._fail(f"more than {DEPTH} objects or lists inside each other")
        first = self._text[self._at : self._at + 1]
        if first == "{":
            self._at += 1
            return Node(line, self._object(depth, "}"))
        if first == "[":
            self._at += 1
            return Node(line, self._list(depth))
        return Node(line, self._scalar(first))

    def _object(self, depth: int, end: str) -> dict[str, Node]:
        found: dict[str, Node] = {}
        while True:
            self._gap()
            if self._at >= len(self._text):
                if not end:
                    return found
                self._fail("the file ends inside an object")
            if end and self._text[self._at] == end:
                self._at += 1
                return found
            key = _KEY.match(self._text, self._at)
            colon = _COLON.match(self._text, key.end()) if key else None
            if key is None or colon is None:
                self._fail("a name and a colon are missing")
            name = key[1]
            name = _plain(name[1:-1]) if name[0] in "\"'" else name
            self._at = colon.end()
            self._gap_of_value()
            found[name] = self._value(depth + 1)

    def _gap_of_value(self) -> None:
        while self._text[self._at : self._at + 1].isspace() or self._text.startswith(
            ("#", "//", "/*"), self._at
        ):
            before = self._at
            self._gap()
            if self._at == before:
                self._fail("a comment does not end")

    def _list(self, depth: int) -> list[Node]:
        found: list[Node] = []
        while True:
            self._gap()
            if self._at >= len(self._text):
                self._fail("the file ends inside a list")
            if self._text[self._at] == "]":
                self._at += 1
                return found
            found.append(self._value(depth + 1))

    def _scalar(self, first: str) -> str:
        """Returns a value that is a text: in quotes, a word, or the rest of a line."""
        if self._text.startswith("'''", self._at):
            end = self._text.find("'''", self._at + 3)
            if end < 0:
                self._fail("a text in ''' does not end")
            found = self._text[self._at + 3 : end]
            self._at = end + 3
            return found.strip()
        if first in ('"', "'"):
            quoted = _QUOTED.match(self._text, self._at)
            if quoted is None:
                self._fail("a text in quotes does not end on its line")
            self._at = quoted.end()
            return _plain(quoted[1] if quoted[1] is not None else quoted[2])
        word = _WORD.match(self._text, self._at)
        if word:
            self._at = word.end()
            return word[0]
        if first in ("", "}", "]", ":"):
            self._fail("a value is missing")
        end = self._text.find("\n", self._at)
        end = len(self._text) if end < 0 else end
        found = self._text[self._at : end].strip()
        self._at = end
        return found


def _plain(text: str) -> str:
    """Returns the text that stands between quotes."""
    return _ESCAPE.sub(_unescape, text) if "\\" in text else text


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] == "u" and len(code) > 1:
        return chr(int(code[1:], 16)) if not 0xD800 <= int(code[1:], 16) < 0xE000 else "?"
    return _ESCAPES.get(code, code)
