"""The table of all sizes, exponents of growth, and the curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hdlgraph.eval.page.markup import Markup, el

Results = Mapping[int, Mapping[str, Mapping[str, Any]]]
"""Size -> step -> figures."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the table: what it is called, its step and key there, its unit."""

    title: str
    step: str
    key: str
    unit: str


FIGURES = (
    Figure("files", "index", "files", ""),
    Figure("HDL text", "corpus", "bytes", "B"),
    Figure("nodes of the graph", "index", "nodes", ""),
    Figure("edges of the graph", "index", "edges", ""),
    Figure("index, CPU", "index", "cpu_s", "s"),
    Figure("index, wall", "index", "wall_s", "s"),
    Figure("index, peak memory (proportional)", "index", "pss_mb", "MB"),
    Figure("index on disk", "index", "disk_mb", "MB"),
    Figure("of it cache", "index", "cache_mb", "MB"),
    Figure("one edited file, CPU", "edit", "cpu_s", "s"),
    Figure("one edited file, wall", "edit", "wall_s", "s"),
    Figure("nothing changed, CPU", "edit", "nothing_cpu_s", "s"),
    Figure("search in a new process, CPU", "search", "start_cpu_s", "s"),
    Figure("search in a new process, wall", "search", "start_wall_s", "s"),
    Figure("warm search p50, CPU", "search", "p50_cpu_ms", "ms"),
    Figure("warm search p99, CPU", "search", "p99_cpu_ms", "ms"),
    Figure("warm search p50, wall", "search", "p50_ms", "ms"),
    Figure("warm search p99, wall", "search", "p99_ms", "ms"),
    Figure("memory of a process that searches", "search", "rss_mb", "MB"),
)
CURVES: dict[str, tuple[Figure, ...]] = {
    "index": tuple(f for f in FIGURES if f.step == "index" and f.key in ("cpu_s", "wall_s")),
    "memory": tuple(f for f in FIGURES if f.key in ("pss_mb", "disk_mb", "rss_mb")),
    "edit": tuple(f for f in FIGURES if f.step == "edit" and f.key != "wall_s"),
    "search": tuple(f for f in FIGURES if f.key in ("p50_cpu_ms", "p99_cpu_ms")),
}
"""Pictures -> their curves."""
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 620, 360, 66, 20, 30, 64
_COLOURS = ("#0b5fa5", "#b3450e", "#2b7a2b", "#7a2b6f")
_DASHES = (None, "7 3", "2 3", "9 3 2 3")
Scale = Callable[[float], float]


def exponent(points: Sequence[tuple[float, float]]) -> float | None:
    """Returns e of y = c x^e by least squares of logarithms; None of fewer than two points."""
    kept = [(math.log(x), math.log(y)) for x, y in points if x > 0 and y > 0]
    if len(kept) < 2:
        return None
    mx, my = (sum(p[i] for p in kept) / len(kept) for i in (0, 1))
    return sum((x - mx) * (y - my) for x, y in kept) / sum((x - mx) ** 2 for x, _ in kept)


def points_of(results: Results, figure: Figure) -> list[tuple[float, float]]:
    """Returns (size, figure) of the sizes that have it."""
    rows = ((size, steps.get(figure.step, {}).get(figure.key)) for size, steps in results.items())
    return sorted((float(size), float(value)) for size, value in rows if value is not None)


def table(results: Results) -> str:
    """Returns a Markdown table: a row for each figure and stage, the exponent in the last cell."""
    sizes = sorted(results)
    lines = [
        "| " + " | ".join(["figure", *(f"{size:,}" for size in sizes), "exponent"]) + " |",
        "|" + "---|" * (len(sizes) + 2),
    ]
    for figure in (*FIGURES, *_stages(results)):
        points = dict(points_of(results, figure))
        if points:
            cells = [_with_unit(points.get(float(size)), figure.unit) for size in sizes]
            found = exponent(list(points.items()))
            lines.append(
                f"| {figure.title} | {' | '.join(cells)} | "
                + ("" if found is None else f"{found:.2f}")
                + " |"
            )
    return "\n".join(lines) + "\n"


def flat(results: Results) -> dict[int, dict[str, dict[str, Any]]]:
    """Returns the results with the seconds of each stage as figures of their own."""
    return {
        size: {
            step: {**facts, **{f"stage {n}": s for n, s in facts.get("stages", {}).items()}}
            for step, facts in steps.items()
        }
        for size, steps in results.items()
    }


def _stages(results: Results) -> list[Figure]:
    found: dict[str, None] = {}
    for steps in results.values():
        found.update(dict.fromkeys(k for k in steps.get("index", {}) if k.startswith("stage ")))
    return [Figure(f"{name}, wall", "index", name, "s") for name in found]


def _with_unit(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    if unit == "B":
        return f"{value / 1e6:,.0f} MB"
    digits = 0 if value >= 100 or not unit else 1 if value >= 10 else 2
    return f"{value:,.{digits}f} {unit}".strip()


def picture(title: str, figures: Sequence[Figure], results: Results) -> Markup:
    """Returns an SVG of the figures over the number of files, both axes logarithmic."""
    lines = [(figure, points_of(results, figure)) for figure in figures]
    lines = [(figure, points) for figure, points in lines if points]
    xs = [x for _, points in lines for x, _ in points]
    ys = [y for _, points in lines for _, y in points if y > 0]
    x, y = _scales(min(xs), max(xs), min(ys), max(ys))
    parts = [*_grid(x, y, sorted(set(xs)), min(ys), max(ys))]
    for number, (figure, points) in enumerate(lines):
        parts += _line(number, figure, [(x(a), y(b)) for a, b in points], exponent(points))
    return el(
        "svg",
        el("title", title),
        el("rect", width=_WIDTH, height=_HEIGHT, fill="#fff"),
        _text(title, _WIDTH / 2, 18, "middle"),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        font_family="sans-serif",
        font_size=12,
        role="img",
    )


def _scales(x0: float, x1: float, y0: float, y1: float) -> tuple[Scale, Scale]:
    low, high = math.floor(math.log10(y0)), math.ceil(math.log10(y1)) or 1
    left, wide = math.log10(x0), math.log10(x1) - math.log10(x0) or 1.0
    tall = max(1, high - low)

    def x(value: float) -> float:
        share = (math.log10(value) - left) / wide
        return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1)

    def y(value: float) -> float:
        share = (math.log10(value) - low) / tall
        return round(_HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM), 1)

    return x, y


def _grid(x: Scale, y: Scale, sizes: Sequence[float], low: float, high: float) -> list[Markup]:
    parts = []
    for power in range(math.floor(math.log10(low)), (math.ceil(math.log10(high)) or 1) + 1):
        at = y(10.0**power)
        parts.append(el("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=at, y2=at, stroke="#ddd"))
        parts.append(_text(f"{10.0**power:g}", _LEFT - 6, at + 4, "end"))
    bottom = _HEIGHT - _BOTTOM
    for size in sizes:
        parts.append(el("line", x1=x(size), x2=x(size), y1=_TOP, y2=bottom, stroke="#eee"))
        parts.append(_text(f"{size:,.0f}", x(size), bottom + 16, "middle"))
    return parts


def _line(
    number: int, figure: Figure, places: Sequence[tuple[float, float]], grows: float | None
) -> list[Markup]:
    colour, dashes = _COLOURS[number % 4], _DASHES[number % 4]
    label = f"{figure.title} ({figure.unit})"
    if grows is not None:
        label += f", exponent {grows:.2f}"
    at = _HEIGHT - 30 + 15 * (number // 2)
    left = _LEFT + (number % 2) * (_WIDTH - _LEFT) / 2
    return [
        el(
            "polyline",
            points=" ".join(f"{a},{b}" for a, b in places),
            fill="none",
            stroke=colour,
            stroke_width=2,
            stroke_dasharray=dashes,
        ),
        *(el("circle", cx=a, cy=b, r=3.5, fill=colour) for a, b in places),
        el(
            "line",
            x1=left - 40,
            x2=left - 12,
            y1=at - 4,
            y2=at - 4,
            stroke=colour,
            stroke_width=2,
            stroke_dasharray=dashes,
        ),
        _text(label, left - 8, at, "start"),
    ]


def _text(text: str, x: float, y: float, anchor: str) -> Markup:
    return el("text", text, x=round(x, 1), y=round(y, 1), text_anchor=anchor, fill="#222")
