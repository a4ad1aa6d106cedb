"""Builds HTML and SVG out of Python calls: whatever is not made here is escaped.

Templates of Jinja2 were tried for the page: the same page, 843 lines of Python and 263 of templates
instead of 980 of Python, and attributes that are quoted only where a test sees to it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

_VOID = frozenset({"meta", "input", "br"})
# Control characters are not allowed in HTML; direction overrides make text read as another.
_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


Child = str | int | float | None


def text(value: object) -> Markup:
    """Returns a value as HTML: escaped, unless it is `Markup`."""
    if isinstance(value, Markup):
        return value
    return Markup(html.escape(_UNSAFE.sub("\ufffd", str(value))))


def el(name: str, /, *children: Child, **attributes: Child) -> Markup:
    """Returns an element; `None` children and attributes are left out.

    In attribute names a trailing underscore is dropped and others become hyphens: `class_`,
    `text_anchor`.
    """
    parts = [name]
    for key, value in attributes.items():
        if value is not None:
            parts.append(f'{key.rstrip("_").replace("_", "-")}="{text(value)}"')
    start = f"<{' '.join(parts)}>"
    if name in _VOID:
        return Markup(start)
    return Markup(start + join(children) + f"</{name}>")


def join(children: Iterable[Child], between: str = "") -> Markup:
    """Returns the children one after the other, `None` left out."""
    return Markup(between.join(text(child) for child in children if child is not None))


def grid(
    caption: Child,
    head: Sequence[Child],
    rows: Iterable[Sequence[Child]],
    class_: str = "",
    sortable: bool = False,
) -> Markup:
    """Returns a table: row headers first, then cells; `th` and `td` made before are kept."""
    kept = [list(row) for row in rows]
    columns = list(zip(*kept, strict=True)) or [()] * len(head)
    words = [not number or _wordy(column) for number, column in enumerate(columns)]
    cells = [
        _cell("th", cell, scope="col", class_=None if left else "number")
        for cell, left in zip(head, words, strict=True)
    ]
    body = []
    for row in kept:
        rest = zip(row[1:], words[1:], strict=True)
        made = [_cell("td", cell, class_="words" if left else None) for cell, left in rest]
        body.append(el("tr", _cell("th", row[0], scope="row"), *made))
    table = el(
        "table",
        el("caption", caption),
        el("thead", el("tr", *cells)),
        el("tbody", *body),
        class_=" ".join(filter(None, [class_, "sortable" if sortable else ""])) or None,
    )
    return el("div", table, class_="scroll", tabindex="0", role="group", aria_label=_plain(caption))


def _cell(name: str, content: Child, **attributes: Child) -> Markup:
    if isinstance(content, Markup) and content.startswith((f"<{name} ", f"<{name}>")):
        return content
    return el(name, content, **attributes)


def _wordy(column: Sequence[Child]) -> bool:
    plain = [_plain(cell) for cell in column]
    return any(re.search("[^\\W\\d_]{2}", cell.replace(" to ", " ")) for cell in plain)


def _plain(value: Child) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", value)) if isinstance(value, Markup) else str(value)


def share(value: float) -> str:
    """Returns a share in [0, 1] with three digits and without its leading zero."""
    return "1.00" if value >= 0.9995 else f"{value:.3f}".removeprefix("0")


def points(value: float) -> str:
    """Returns a difference of shares in points with its sign: +11.7."""
    return f"{100 * value:+.1f}".replace("-", "\u2212")


def chance(p: float) -> str:
    """Returns a p-value: .034, < .001."""
    return "< .001" if p < 0.001 else f"{min(p, 1):.3f}".removeprefix("0")
