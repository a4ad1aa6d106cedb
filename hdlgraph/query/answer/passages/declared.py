"""Shows the parameters that a question asks for and what they decide; finds the ports of a file."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.page import Page
from hdlgraph.query.answer.passages.guards import guards
from hdlgraph.query.answer.passages.view import COMMENT, READ, FileView, raise_to

GROUP = 16  # lines below a comment that belong to it where nothing parts them
LOCAL = 0.6  # of the worth of a parameter that nobody else can set
HEADING = 0.7
PARAMETERS = 6
CLOSE = 0.5  # share of the best one's worth from which a parameter is shown
DECIDED = 3  # parameters of which the users are shown
LINES = 40  # of what parameters decide
CHAIN = 30  # lines of a choice by a parameter that is shown whole
CHECK = 8  # lines of a check of a parameter
VALUE = 8  # lines of a parameter's value
SIDE = 3  # lines of each side of a condition that a parameter decides
USERS = 5  # lines that use a parameter
_PARAMETERS = {("declaration", "parameter"), ("declaration", "localparam")}
_PORTS = {("declaration", "input"), ("declaration", "output"), ("declaration", "inout")}
_LAST_NAME = re.compile(r"([A-Za-z_$][\w$]*)\s*(?:\[[^\]]*\]\s*)*(?:=\s*(.*?))?\s*[,;)]?\s*$")
_PARAMETER = re.compile(r"\b(?:parameter|localparam)\b")
_DEFINE = re.compile(r"^\s*`define\s+([A-Za-z_]\w*)(?!\()[ \t]+(\S.*)")
_DIRECTION = re.compile(r"^\s*(?:input|output|inout|ref)\b|^\s*[A-Za-z_]\w*\.\w+\s+\w")
_COMMENT = re.compile(r"//.*|/\*.*?\*/")


@dataclass(frozen=True, slots=True)
class Declared:
    """A parameter or port: its name, value or "", line, worth, and the lines to show."""

    name: str
    value: str
    line: int
    worth: float
    lines: tuple[int, ...]

    def words(self) -> str:
        """Returns the value of a parameter in words, "" where there is none to say."""
        plain = (
            self.value and len(self.value) <= 60 and self.value.count("(") == self.value.count(")")
        )
        return f"{self.name} defaults to {self.value}" if plain else ""


def parameters(view: FileView) -> list[Declared]:
    """Returns the parameters of a file, in order; local ones and macros too."""
    found = []
    for one in view.outline.statements:
        if (one.kind, one.word) in _PARAMETERS or one.kind == "parameters":
            found += [d for n in range(one.line, one.end_line + 1) if (d := _line(view, n, True))]
    for number, line in enumerate(view.source.lines, 1):
        defined = _DEFINE.match(line)
        if defined:
            worth = _worth(view, defined[1], number)
            found.append(Declared(defined[1], "", number, worth, (number,)))
    return list({d.line: d for d in found}.values())


def ports(view: FileView) -> list[Declared]:
    """Returns the ports of a file, in order."""
    found = []
    for one in view.outline.statements:
        if one.kind != "ports" and (one.kind, one.word) not in _PORTS:
            continue
        for number in range(one.line, one.end_line + 1):
            if _DIRECTION.match(view.source.lines[number - 1].lstrip("( ,\t")):
                declared = _line(view, number, False)
                found += [declared] if declared else []
    return list({d.line: d for d in found}.values())


def _line(view: FileView, number: int, is_parameter: bool) -> Declared | None:
    """Returns the parameter or port that a line declares, with its value; None if it has none."""
    raw = view.source.lines[number - 1]
    code = _COMMENT.sub("", raw).strip()
    if is_parameter:
        code = _PARAMETER.split(code)[-1].strip().removeprefix("#(").strip()
        if "=" not in code:
            return None
        left, _, value = code.partition("=")
        name = _LAST_NAME.search(left.strip())
        text = value.strip()
        while text and (
            text[-1] in ",;" or (text[-1] == ")" and text.count(")") > text.count("("))
        ):
            text = text[:-1].rstrip()
    else:
        name, text = _LAST_NAME.search(code), ""
    if not name:
        return None
    worth = _worth(view, name[1], number) * (LOCAL if "localparam" in raw else 1.0)
    end = _ends(view, number) if is_parameter else number
    return Declared(name[1], text, number, worth, tuple(range(number, end + 1)))


def _ends(view: FileView, number: int) -> int:
    """Returns the line on which the value of a parameter ends, the first where that is not near."""
    depth = 0
    for line in range(number, min(number + VALUE, len(view.source.lines) + 1)):
        code = _COMMENT.sub("", view.source.lines[line - 1])
        depth += sum(code.count(c) for c in "({[") - sum(code.count(c) for c in ")}]")
        if depth <= 0 and (code.rstrip().endswith((",", ";", ")")) or depth < 0):
            return line
        if depth <= 0 and code.strip() and not code.rstrip().endswith(("=", "?", ":", "|", "+")):
            return line
    return number


def _worth(view: FileView, name: str, number: int) -> float:
    best: dict[int, float] = {}
    raise_to(best, view.worth_of(name))
    line = view.source.lines[number - 1]
    raise_to(best, view.worth_of(line.partition("//")[2]), COMMENT)
    raise_to(best, view.worth_of(_COMMENT.sub("", line)), READ)
    above = number - 1
    while above >= 1 and number - above <= GROUP:
        text = view.source.lines[above - 1].strip()
        if text.startswith("//"):  # the heading of the group that the line belongs to
            raise_to(best, view.worth_of(text), HEADING)
            if not view.source.lines[above - 2].strip().startswith("//"):
                break
        elif not text or text.startswith((")", "#(")):
            break
        above -= 1
    return sum(best.values())


def configuration(page: Page, view: FileView, lines: int) -> bool:
    """Adds the parameters that the question asks for and what they decide; False if none."""
    found = _best(parameters(view))
    if not view.asks_for(max((one.worth for one in found), default=0.0)):
        return False
    own = {n for one in found for n in one.lines}
    most = max(lines, LINES)
    chief = sorted(found, key=lambda one: (-one.worth, one.line))[:DECIDED]
    kept: set[int] = set()
    for more in [decided(view, one.name) for one in chief]:
        for numbers in more:
            if len(kept | set(numbers)) <= most:
                kept |= set(numbers)
    for one in chief:
        used = [n for n in users(view, one.name) if n not in own and view.is_code(n)]
        kept |= set(used[: 0 if kept - own else USERS])
    page.code(view.path, view.source, _with_comments(view, found))
    if kept - own:
        page.add("Used in:")
        page.code(view.path, view.source, sorted((kept | guards(view, kept)) - own))
    return True


def decided(view: FileView, name: str) -> list[list[int]]:
    """Returns the lines of what a parameter decides, each whole: choices, values, checks.

    These are generate chains and cases over it, constants that are computed from it, and
    assertions and initial blocks that test it. A longer chain gives the beginnings of its sides.
    """
    found: list[list[int]] = []
    for one in view.outline.reading(name):
        whole = one
        if one.kind == "branch" and one.parent is not None:
            whole = one.parent
        initial = next((s for s in one.around() if s.kind == "initial"), None)
        length = whole.end_line - whole.line + 1
        checks = initial is not None or one.kind == "assertion"
        chooses = one.process is None and whole.kind in ("if", "case")
        computes = whole.kind == "declaration" and whole.word in ("localparam", "parameter")
        if checks:
            last = min(whole.end_line, whole.line + CHECK - 1)
            found.append(_code(view, whole.line, last))
        elif (chooses or computes) and length <= CHAIN:
            found.append(_code(view, view.above(whole), whole.end_line))
        elif chooses:
            found.append(_sides(view, whole))
    order = sorted(found, key=lambda numbers: numbers[:1])
    return [list(one) for one in dict.fromkeys(map(tuple, order)) if one]


def _code(view: FileView, first: int, last: int) -> list[int]:
    return [n for n in range(first, last + 1) if view.source.lines[n - 1].strip()]


def _sides(view: FileView, whole: Statement) -> list[int]:
    """Returns the first lines of each side of a choice."""
    found: list[int] = []
    for side in whole.children:
        found += _code(view, side.line, min(side.end_line, side.line + SIDE - 1))
    return found


def _best(found: list[Declared]) -> list[Declared]:
    top = max((one.worth for one in found), default=0.0)
    if top <= 0:
        return []
    close = [one for one in found if one.worth >= CLOSE * top]
    best = sorted(close, key=lambda one: (-one.worth, one.line))[:PARAMETERS]
    return sorted(best, key=lambda one: one.line)


def _with_comments(view: FileView, found: list[Declared]) -> list[int]:
    """Returns the lines of declarations with a comment line directly above each."""
    numbers: set[int] = set()
    for one in found:
        numbers |= set(one.lines)
        above = one.line - 1
        if above >= 1 and view.source.lines[above - 1].strip().startswith("//"):
            numbers.add(above)
    return sorted(numbers)


def users(view: FileView, name: str) -> list[int]:
    """Returns lines on which a parameter is used, those of conditions first."""
    found = view.outline.reading(name)
    order = {"branch": 0, "if": 0, "loop": 1, "instance": 2, "assign": 1, "always": 3}
    ranked = sorted(found, key=lambda one: (order.get(one.kind, 4), one.line))
    lines: list[int] = []
    for one in ranked:
        line = _stands(view, one, name)
        if line and line not in lines:
            lines.append(line)
    return lines[:USERS]


def _stands(view: FileView, one: Statement, name: str) -> int:
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    for number in range(one.line, one.end_line + 1):
        if word.search(_COMMENT.sub("", view.source.lines[number - 1])):
            return number
    return 0
