"""Checks the citations of an answer against the lines that its writer was shown."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property

import msgspec

from hdlgraph.results import Citation

SLACK = 2  # lines that a citation may lie beside what was shown
MAX_CITED = 400  # characters of a bracket that is read as a citation
_ENDINGS = (
    "v|sv|svh|vh|svp|vp|svi|vams|vhd|vhdl|cc|cpp|hpp|py|md|txt|rst|yml|yaml|json|hjson|toml|tcl|sh"
    "|mk|core|xml|html|csv|log|hex|htm|tsv|jsonl|rdl|pdf|docx|pptx"
)
_PLACE = re.compile(
    r"(?:(?P<path>[^\s:].*?)\s*:\s*)?(?:lines?\s*|pages?\s*|p\.\s*|L)?(?P<line>\d{1,9})"
    r"(?:\s*(?:-|–|—|to|\.\.)\s*L?(?P<end>\d{1,9}))?",
    re.I,
)
_MARKS = " \t`'\"*"
_PREFACE = re.compile(r"^(?:see|cf\.?|file|in|at|source|sources|and|also|ref)\b[:\s]*", re.I)
_BRACKET = re.compile(
    rf"(?P<gap>[ \t]*)(?P<open>\[{{1,3}}|\()(?P<inside>[^\[\]()]{{1,{MAX_CITED}}})"
    r"(?P<close>\]{1,3}|\))"
)
_BARE = re.compile(
    rf"[\w./$+~-]*[\w$+~-]\.(?:{_ENDINGS}):\d{{1,9}}(?:\s?[-–]\s?\d{{1,9}})?\b", re.I
)
_ENDING = re.compile(rf"\.(?:{_ENDINGS})$", re.I)


@dataclass(slots=True)
class ShownPlaces:
    """Every place that the writer of an answer has seen: path -> line ranges, and file lengths."""

    ranges: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)
    passages: dict[str, list[Citation]] = field(default_factory=dict)

    @property
    def paths(self) -> list[str]:
        """Returns the paths of all that was shown."""
        return [*self.ranges, *self.passages]

    def add_passage(self, place: Citation) -> None:
        """Notes that a place of a document was shown: lines, a page, or a document without."""
        if place.line:
            self.add(place.path, place.line, place.end_line, place.end_line)
        self.passages.setdefault(place.path, []).append(place)

    def passage(self, path: str, page: int) -> Citation | None:
        """Returns the place of a document that a page names, or a document without pages."""
        for one in self.passages.get(path, ()):
            if not one.line and one.page in (page, 0):
                return one
        return None

    def add(self, path: str, line: int, end_line: int, length: int) -> None:
        """Notes that lines `line` to `end_line` of a file of `length` lines were shown."""
        last = min(end_line, length)
        if not 1 <= line <= last:
            return
        self.lengths[path] = max(length, self.lengths.get(path, 0))
        merged: list[tuple[int, int]] = []
        for first, end in sorted([*self.ranges.get(path, ()), (line, last)]):
            if merged and first <= merged[-1][1] + 1:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((first, end))
        self.ranges[path] = merged

    def supported(self, path: str, line: int, end_line: int) -> tuple[int, int] | None:
        """Returns the part of a cited place that was shown or lies SLACK lines beside, or None."""
        low, high = min(line, end_line), max(line, end_line)
        for first, last in self.ranges.get(path, ()):
            begin = max(low, first - SLACK, 1)
            end = min(high, last + SLACK, self.lengths[path])
            if begin <= end:
                return begin, end
        return None


class Paths:
    """Finds files of the index by what an answer calls them.

    Args:
        known: all paths of the index.
        near: paths that were shown; they go before others of the same name.
    """

    def __init__(self, known: Collection[str], near: Collection[str] = ()) -> None:
        self.known = frozenset(known)
        self._near = frozenset(near)

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in sorted(self.known):
            name = path.rsplit("/", 1)[-1].lower()
            for key in {name, name.rsplit(".", 1)[0]}:
                found.setdefault(key, []).append(path)
        return found

    def find(self, written: str) -> str:
        """Returns the path that is meant, "" when there is none or several.

        A path with leading folders missing or added, and a bare file name with or without its
        ending, count where only one file fits.
        """
        text = written.strip(" \t`'\"*<>").replace("\\", "/").removeprefix("./").lstrip("/")
        if text in self.known:
            return text
        low = text.lower()
        if not low:
            return ""
        named = self._by_name.get(low.rsplit("/", 1)[-1], [])
        close = [p for p in named if f"/{p}".lower().endswith(f"/{low}")]
        close = close or [p for p in named if f"/{low}".endswith(f"/{p}".lower())]
        for found in (close, named):
            near = [p for p in found if p in self._near]
            for offered in (near, found):
                if len(offered) == 1:
                    return offered[0]
        return ""


def like_file(text: str) -> bool:
    """Returns whether a text is written like a path: a known ending, or folders and letters."""
    if _ENDING.search(text):
        return True
    return "/" in text and not re.search(r"\s", text) and any(ch.isalpha() for ch in text)


class Checker:
    """Keeps supported citations of a text, corrects their paths, and removes all others.

    Args:
        shown: what the writer has seen.
        known: all paths of the index.

    `citations` are those kept so far, numbered in order and each place once; `kept` counts them
    with repeats, `removed` those taken out.
    """

    def __init__(self, shown: ShownPlaces, known: Collection[str]) -> None:
        self.citations: list[Citation] = []
        self.kept = 0
        self.removed = 0
        self._shown = shown
        self._paths = Paths(known, shown.paths)

    def check(self, text: str) -> str:
        """Returns a text with its citations as `[path:line; path:line-line]`, checked."""
        out: list[str] = []
        at = 0
        for found in _BRACKET.finditer(text):
            out.append(self._bare(text[at : found.start()]))
            before = text[found.start() - 1] if found.start() else ""
            out.append(self._bracket(found, before))
            at = found.end()
        out.append(self._bare(text[at:]))
        return "".join(out)

    def _bracket(self, found: re.Match[str], before: str) -> str:
        square = found["open"] != "("
        attached = not found["gap"] and (before.isalnum() or before in ("_", "$"))
        places = self._places(found["inside"], square and not attached)
        if places is None or not (square or places[0][1]):
            inside = self._bare(found["inside"])
            return f"{found['gap']}{found['open']}{inside}{found['close']}"
        kept = list(dict.fromkeys(filter(None, (self._keep(*place) for place in places))))
        return f"{found['gap']}[{'; '.join(kept)}]" if kept else ""

    def _places(self, inside: str, stems: bool) -> list[tuple[str, int, int]] | None:
        """Returns (path as written, line, end line) of each item; None if it cites nothing.

        A file without a line is a place of line 0. `stems`: a known name without its ending
        counts as well, which in code may be a range such as [WIDTH:0].
        """
        out: list[tuple[str, int, int]] = []
        path = ""
        for item in re.split(r"[;,\n]|\band\b", inside):
            text = _PREFACE.sub("", item.strip(_MARKS)).strip(_MARKS)
            place = _PLACE.fullmatch(text)
            if place and (place["path"] or path) and int(place["line"]):
                named = place["path"] or path
                if like_file(named) or (stems and self._paths.find(named)):
                    path, line = named, int(place["line"])
                    out.append((path, line, int(place["end"] or line)))
                    continue
            elif like_file(text) and " " not in text and not place:
                path = text
                out.append((path, 0, 0))
                continue
            if not out:
                return None
        if any(line for _, line, _ in out) or self._foreign(out):
            return out
        whole = any(self._shown.passage(self._paths.find(path), 0) for path, _, _ in out)
        return out if whole else None

    def _foreign(self, places: list[tuple[str, int, int]]) -> bool:
        """Returns whether files are named alone, one of them not a file that was shown."""
        return any(self._paths.find(path) not in self._shown.paths for path, _, _ in places)

    def _keep(self, written: str, line: int, end_line: int) -> str:
        """Returns a supported citation as it is shown, or "" and counts it as removed."""
        path = self._paths.find(written)
        if (place := self._shown.passage(path, line)) is not None:
            return self._page(place, line)
        if not line and path in self._shown.ranges:
            return path
        part = self._shown.supported(path, line, end_line) if path and line else None
        if part is None:
            self.removed += 1
            return ""
        self.kept += 1
        if not any((c.path, c.line, c.end_line) == (path, *part) for c in self.citations):
            self.citations.append(Citation(len(self.citations) + 1, path, *part))
        return f"{path}:{part[0]}" + (f"-{part[1]}" if part[1] > part[0] else "")

    def _page(self, place: Citation, page: int) -> str:
        """Returns a place of a document without lines as it is shown.

        Its name before "page N" is not yet the place.
        """
        if place.page and not page:
            return ""
        self.kept += 1
        if not any(c.place == place.place for c in self.citations):
            marker = len(self.citations) + 1
            self.citations.append(msgspec.structs.replace(place, marker=marker))
        return place.place

    def _bare(self, text: str) -> str:
        """Returns a text whose places without brackets are right, or are files without a line."""

        def replaced(found: re.Match[str]) -> str:
            written, _, lines = found[0].rpartition(":")
            place = _PLACE.fullmatch(lines)
            assert place is not None
            line = int(place["line"])
            kept = self._keep(written, line, int(place["end"] or line))
            return kept or self._paths.find(written) or written

        return _BARE.sub(replaced, text)
