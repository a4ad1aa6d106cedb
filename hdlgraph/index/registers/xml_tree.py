"""Reads XML into elements with their lines; entities and document types are refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn
from xml.parsers import expat

DEPTH = 60
"""Elements inside each other."""
ELEMENTS = 200_000
"""Elements of one file."""


class XmlError(ValueError):
    """A text is no XML, or has what is not read; the message names the line."""


@dataclass(slots=True)
class Element:
    """An element: its name without a namespace, the line where it begins, text, what is inside."""

    name: str
    line: int
    text: str = ""
    inside: list[Element] = field(default_factory=list)

    def all(self, name: str) -> Iterator[Element]:
        """Yields the elements of a name that stand directly inside."""
        return (one for one in self.inside if one.name == name)

    def get(self, *names: str) -> Element:
        """Returns the first element at the end of a path of names; an empty one without."""
        here = self
        for name in names:
            here = next(here.all(name), Element(name, self.line))
        return here

    def text_of(self, *names: str) -> str:
        """Returns the text at the end of a path of names, "" where there is none."""
        return self.get(*names).text.strip()


def read_xml(data: bytes) -> Element:
    """Returns the outermost element.

    Raises:
        XmlError: it is broken, has entities of its own, or is nested too deep or too large.
    """
    return _Reader().read(data)


class _Reader:
    def __init__(self) -> None:
        self._parser: Any = expat.ParserCreate()
        self._outer = Element("", 1)
        self._stack = [self._outer]
        self._left = ELEMENTS
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._parser.EntityDeclHandler = self._refuse
        self._parser.ExternalEntityRefHandler = self._refuse
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text

    def read(self, data: bytes) -> Element:
        try:
            self._parser.Parse(data, True)
        except (expat.ExpatError, LookupError) as error:
            self._fail(expat.ErrorString(getattr(error, "code", 0)) or str(error))
        return self._outer.inside[0]

    def _fail(self, why: str) -> NoReturn:
        raise XmlError(f"line {self._parser.CurrentLineNumber}: {why}")

    def _refuse(self, *_: Any) -> NoReturn:
        self._fail("document types and entities are not read")

    def _start(self, name: str, _: dict[str, str]) -> None:
        self._left -= 1
        if self._left < 0 or len(self._stack) > DEPTH:
            self._fail(f"more than {ELEMENTS} elements, or {DEPTH} inside each other")
        element = Element(name.rpartition(":")[2], self._parser.CurrentLineNumber)
        self._stack[-1].inside.append(element)
        self._stack.append(element)

    def _end(self, _: str) -> None:
        self._stack.pop()

    def _text(self, text: str) -> None:
        self._stack[-1].text += text[:1000] if len(self._stack[-1].text) < 1000 else ""
