"""Makes HTML of results: templates, and the filters that they use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urlencode

from jinja2 import pass_context
from markupsafe import Markup

from hdlgraph.results import Answer
from hdlgraph.safety.printable import visible
from hdlgraph.serve.web import highlight, vendor

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2.runtime import Context

_CITED = re.compile(r"\[([^\[\]\n]{1,400}):(\d{1,8})(?:-(\d{1,8}))?\]")
_TABLE = re.compile(
    r"  (?:line +bits +field .*|\d{1,9}  +(?:\d+:\d+|\d+|-)  +\S+  .*|and \d+ more fields?)"
)
_CODE = re.compile(r" {0,8}(\d{1,8})\| ?(.*)")
_NAME = re.compile(r"`([^`\n]{1,200})`")
_LINE = re.compile(r"\bline (\d{1,7})\b")
_BREAKS = re.compile(r"[\t\n\r]+")
CUT = re.compile(r"\s*\.\.\.\s*")
"""A line of an answer that stands for lines that were left out."""


class Block(NamedTuple):
    """A part of an answer: a paragraph, or lines of code with their numbers."""

    text: Markup
    lines: tuple[tuple[int, Markup], ...] = ()
    path: str = ""


@cache
def environment() -> Environment:
    """Returns the templates; everything put into them is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    found = Environment(
        loader=PackageLoader("hdlgraph.serve.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    found.filters.update(
        plain=lambda text: visible(str(text)),
        source=source_url,
        show=card_url,
        around=lambda name: f"/graph?{urlencode({'name': name})}",
        trace=lambda name: f"/trace?{urlencode({'name': name})}",
        registers=lambda name: f"/registers?{urlencode({'name': name})}",
        at=_at,
        dotted=_dotted,
        below=_below,
        many=_many,
        lines_of=_lines_of,
        marked=lambda line, *tips: highlight.marked(line.text, line.marks, *tips),
        code=_code,
        text=_text,
        last=lambda path: str(path).rpartition("/")[2],
        folder=lambda path: str(path)[: str(path).rfind("/") + 1],
        number=lambda n: f"{n:,}",
    )
    found.globals.update(
        asset=lambda name: f"/static/{name}?v={vendor.version()}",
        url=lambda path, **given: f"{path}?{urlencode(given, doseq=True)}",
    )
    return found


def page(template: str, **values: Any) -> str:
    """Returns the HTML of a template."""
    return environment().get_template(template).render(**values)


def card_url(name: str) -> str:
    """Returns the address of the card of a name, or of a node by its id."""
    return f"/show?{urlencode({'name': name})}"


def source_url(path: str, line: int = 0, end_line: int = 0) -> str:
    """Returns the address of a file in the source view, at a line."""
    from hdlgraph.project.browsing import LINES

    base = f"/file/{quote(path, safe='/')}"
    if line <= 1 and not end_line:
        return base
    start = (line - 1) // LINES * LINES + 1
    query = f"?line={start}" if start > 1 else ""
    end = f"-L{end_line}" if end_line > line else ""
    return f"{base}{query}#L{line}{end}"


@pass_context
def _at(context: Context, location: str) -> Markup:
    """Returns the link to a place `path:line` by the name of its file; the tip is all of it."""
    path, _, line = location.rpartition(":")
    shown = context.get("has_page")  # None in what is imported: a source for certain
    if not path or not line.isdecimal() or (shown is not None and not shown(path)):
        return _safe(location)
    last = visible(path.rpartition("/")[2])
    return Markup('<a href="{}" title="{}">{}:<wbr>{}</a>').format(
        source_url(path, int(line)), visible(location), last, line
    )


def _dotted(name: str) -> Markup:
    """Returns a path of instances that may break behind each dot."""
    return Markup(".<wbr>").join(_safe(part) for part in str(name).split("."))


def _below(name: str, top: str) -> Markup:
    """Returns a path of instances without the unit that it begins at; the tip is all of it."""
    rest = str(name).removeprefix(f"{top}.")
    return Markup('<span title="{}">{}</span>').format(visible(str(name)), _dotted(rest))


def _many(count: int, noun: str) -> str:
    """Returns a count with its noun: "1 register", "1,021 registers"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _lines_of(text: str, path: str) -> Markup:
    """Returns words for people in which each "line N" leads to that line of a file."""
    found, at = [], 0
    for match in _LINE.finditer(text):
        link = Markup('<a href="{}">{}</a>').format(source_url(path, int(match[1])), match[0])
        found += [_text(text[at : match.start()]), link]
        at = match.end()
    return Markup("").join([*found, _text(text[at:])])


def blocks(answer: Answer) -> list[Block]:
    """Returns the paragraphs and code of an answer; what it cites leads to the source view."""
    known = {one.path for one in answer.citations}
    found: list[Block] = []
    code: list[tuple[int, str]] = []
    for line in answer.text.split("\n"):
        numbered = _CODE.fullmatch(line)
        if numbered:
            code.append((int(numbered[1]), numbered[2]))
            continue
        if code and CUT.fullmatch(line):
            code.append((0, ""))
            continue
        cited = _CITED.fullmatch(line.strip())
        if code:
            found.append(_listing(code, cited[1] if cited and cited[1] in known else ""))
            code = []
        if _TABLE.fullmatch(line):
            found.append(Block(Markup('<span class="fields">{}</span>').format(visible(line))))
        elif line.strip():
            found.append(Block(cite(line, known)))
    if code:
        found.append(_listing(code, ""))
    return found


def _listing(code: Sequence[tuple[int, str]], path: str) -> Block:
    coloured = highlight.coloured("\n".join(text for _, text in code))
    numbers = (number for number, _ in code)
    return Block(Markup(""), tuple(zip(numbers, coloured, strict=True)), path)


def cite(text: str, known: set[str]) -> Markup:
    """Returns a line of text, its citations of known files as links, names in `code`."""
    return Markup("").join(_cited(text, known))


def _cited(text: str, known: set[str]) -> Iterator[Markup]:
    at = 0
    for match in _CITED.finditer(text):
        if match[1] not in known:
            continue
        yield _text(text[at : match.start()])
        end = int(match[3] or 0)
        url = source_url(match[1], int(match[2]), end)
        place = visible(match[0][1:-1])
        yield Markup('<a class="cite" href="{}" title="{}">{}</a>').format(
            url, place, place.rpartition("/")[2]
        )
        at = match.end()
    yield _text(text[at:])


def _text(text: str) -> Markup:
    """Returns words for people as HTML: names between back ticks as code."""
    found, at = [], 0
    text = _BREAKS.sub(" ", text)
    for match in _NAME.finditer(text):
        found.append(_safe(text[at : match.start()]))
        found.append(Markup("<code>{}</code>").format(_safe(match[1])))
        at = match.end()
    rest, _, cut = text[at:].partition("`")  # a text that was cut within a name
    found.append(_safe(rest))
    return Markup("").join([*found, Markup("<code>{}…</code>").format(_safe(cut)) if cut else ""])


def _safe(text: str) -> Markup:
    return Markup("{}").format(visible(text))


def _code(text: str) -> Markup:
    return Markup(" ").join(highlight.coloured(" ".join(str(text).split())))
