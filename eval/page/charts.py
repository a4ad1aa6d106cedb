"""Charts of the page as inline SVG: curves, bars, intervals.

A series has its own colour, dash pattern and marker, so that colour alone tells nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from hdlgraph.eval.page.markup import Markup, el, join, share

SERIES = 6
"""Series that a chart can distinguish."""

_DASHES = (None, "7 3", "2 3", "9 3 2 3", "4 4", "1 4")
_WIDTH, _HEIGHT = 620, 330
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 14, 14, 40


def curves(
    title: str, names: Sequence[str], values: Sequence[Sequence[float]], axis: str
) -> Markup:
    """Returns line charts of shares over k = 1, 2, ...; one row of `values` per name."""
    count = len(values[0])
    inner_w, inner_h = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

    def x(k: int) -> float:
        return round(_LEFT + inner_w * (k - 1) / max(count - 1, 1), 1)

    def y(value: float) -> float:
        return round(_TOP + inner_h * (1 - value), 1)

    parts = [_grid_line(y(step / 5), share(step / 5) if step else "0") for step in range(6)]
    ticks = [k for k in (1, 3, 5, 10, 15, 20) if k <= count]
    parts += [_label(x(k), _HEIGHT - _BOTTOM + 18, str(k)) for k in ticks]
    parts.append(_label(_LEFT + inner_w / 2, _HEIGHT - 5, axis))
    # The first named is drawn last, above the others.
    for number, (name, row) in reversed(list(enumerate(zip(names, values, strict=True)))):
        places = [(x(k), y(value)) for k, value in enumerate(row, 1)]
        parts.append(
            el(
                "g",
                el("title", f"{name}: {', '.join(f'@{k} {share(row[k - 1])}' for k in ticks)}"),
                el(
                    "polyline",
                    points=" ".join(f"{a},{b}" for a, b in places),
                    class_=f"line s{number}",
                    stroke_dasharray=_DASHES[number],
                ),
                *(_marker(number, *places[k - 1]) for k in ticks),
            )
        )
    described = "; ".join(
        f"{n}: " + ", ".join(f"{share(row[k - 1])} at {k}" for k in ticks)
        for n, row in zip(names, values, strict=True)
    )
    return _svg(title, described, _WIDTH, _HEIGHT, parts)


def bars(
    title: str,
    groups: Sequence[tuple[str, int]],
    names: Sequence[str],
    values: Sequence[Sequence[float]],
) -> Markup:
    """Returns horizontal bars: per group (name, number of questions) one bar per name.

    `values` has one row per group and one share per name.
    """
    thick, gap, left = 13, 16, 150
    height = len(groups) * (thick * len(names) + gap) + 26
    inner = _WIDTH - left - 46
    parts = []
    for step in range(6):
        at = round(left + inner * step / 5, 1)
        parts.append(el("line", x1=at, x2=at, y1=4, y2=height - 22, class_="grid"))
        parts.append(_label(at, height - 6, share(step / 5) if step else "0"))
    for row, (group, count) in enumerate(groups):
        top = 6 + row * (thick * len(names) + gap)
        middle = top + thick * len(names) / 2 + 4
        parts.append(_label(left - 8, middle, f"{group} ({count})", "end"))
        for number, name in enumerate(names):
            value = values[row][number]
            at = top + number * thick
            parts.append(
                el(
                    "g",
                    el("title", f"{group}, {name}: {share(value)}"),
                    el(
                        "rect",
                        x=left,
                        y=at,
                        width=round(inner * value, 1),
                        height=thick - 2,
                        class_=f"bar s{number}",
                    ),
                    _label(
                        left + inner * value + 4, at + thick - 3, share(value), "start", "value"
                    ),
                )
            )
    described = "; ".join(
        f"{group}: " + ", ".join(f"{n} {share(v)}" for n, v in zip(names, row, strict=True))
        for (group, _), row in zip(groups, values, strict=True)
    )
    return _svg(title, described, _WIDTH, height, parts)


def whisker(mean: float, low: float, high: float) -> Markup:
    """Returns a small interval on a scale from 0 to 1; decoration beside the same in figures."""
    width, height = 150, 14
    middle = height / 2
    at = [round(1 + (width - 2) * value, 1) for value in (low, high, mean)]
    return el(
        "svg",
        el("line", x1=0, x2=width, y1=middle, y2=middle, class_="grid"),
        el("line", x1=at[0], x2=at[1], y1=middle, y2=middle, class_="span"),
        el("circle", cx=at[2], cy=middle, r=4, class_="dot"),
        class_="whisker",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        aria_hidden="true",
    )


def legend(names: Sequence[str], filled: bool = False) -> Markup:
    """Returns the list of names with their colour, dash pattern and marker, or filled boxes."""
    items = []
    for number, name in enumerate(names):
        shape = (
            el("rect", x=3, y=2, width=24, height=10, class_=f"bar s{number}")
            if filled
            else join(
                [
                    el(
                        "line",
                        x1=0,
                        x2=30,
                        y1=7,
                        y2=7,
                        class_=f"line s{number}",
                        stroke_dasharray=_DASHES[number],
                    ),
                    _marker(number, 15, 7),
                ]
            )
        )
        swatch = el("svg", shape, viewBox="0 0 30 14", width=30, height=14, aria_hidden="true")
        items.append(el("li", swatch, " ", name))
    return el("ul", *items, class_="legend")


def _marker(number: int, x: float, y: float) -> Markup:
    class_ = f"mark s{number}"
    if number % 3 == 0:
        return el("circle", cx=x, cy=y, r=3.5, class_=class_)
    if number % 3 == 1:
        return el("rect", x=x - 3, y=y - 3, width=6, height=6, class_=class_)
    corners = f"{x},{y - 4} {x + 4},{y + 3} {x - 4},{y + 3}"
    return el("polygon", points=corners, class_=class_)


def _grid_line(y: float, text: str) -> Markup:
    line = el("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y, y2=y, class_="grid")
    return join([line, _label(_LEFT - 6, y + 4, text, "end")])


def _label(
    x: float, y: float, text: str, anchor: str = "middle", class_: str | None = None
) -> Markup:
    return el("text", text, x=round(x, 1), y=round(y, 1), text_anchor=anchor, class_=class_)


def _svg(title: str, described: str, width: int, height: int, parts: Sequence[Markup]) -> Markup:
    return el(
        "svg",
        el("title", title),
        el("desc", described),
        *parts,
        class_="chart",
        viewBox=f"0 0 {width} {height}",
        role="img",
        aria_label=f"{title}. {described}",
    )
