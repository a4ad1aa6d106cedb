"""The `case` statements of a text with their arms, found in one pass."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hdlgraph.parsers.text.expressions import closing

_TOKEN = re.compile(
    r"begin|end(?:case|function|task|module)?(?![\w$])|case[xz]?(?![\w$])|fork|join(?:_any|_none)?"
    r"|else|default|[;:]"
)
_BLOCK = re.compile(r"\b(?:always\w*|initial|final|function|task|generate|begin)\b")
_WITHIN_NAME = re.compile(r"[\w$.`']")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$")
_OPEN = {"begin": "end", "fork": "join"}
_AFTER_END = re.compile(r"\s*:\s*[A-Za-z_]\w*")
_BREAK = frozenset({"endfunction", "endtask", "endmodule"})


@dataclass(slots=True)
class Arm:
    """One arm of a case: its labels without white space, and where it begins and ends."""

    labels: tuple[str, ...]
    at: int
    end: int = 0


@dataclass(slots=True)
class Case:
    """A case statement: what it tests, without white space, its place and its arms."""

    subject: str
    at: int
    end: int = 0
    arms: list[Arm] = field(default_factory=list)
    is_labelled: bool = False
    """Whether an arm is open: its labels are read and its statement is not over."""
    read_from: int = 0

    def open_arm(self, text: str, at: int) -> None:
        """Begins an arm whose labels end at `at`."""
        written = text[self.read_from : at]
        start = self.read_from + len(written) - len(written.lstrip())
        self.arms.append(Arm(split_labels("".join(written.split())), start))
        self.is_labelled = True

    def close_arm(self, at: int) -> None:
        """Ends the open arm behind `at`."""
        if self.is_labelled:
            self.arms[-1].end = at
        self.is_labelled, self.read_from = False, at


def cases_of(text: str) -> list[Case]:
    """Returns the complete case statements of a text in the order in which they end."""
    if "case" not in text:
        return []
    stack: list[str | Case] = []
    done: list[Case] = []
    skip = 0
    for match in _TOKEN.finditer(text, _first_block(text), text.rfind("endcase") + 7):
        word, at = match[0], match.start()
        if at < skip or (word not in (";", ":") and _is_part(text, at, match.end())):
            continue
        top = stack[-1] if stack else None
        if word.startswith("case"):
            skip = _subject(text, match.end(), stack)
        elif word == "endcase":
            _unwind(stack)
            case = stack[-1] if stack else None
            if isinstance(case, Case):
                stack.pop()
                case.end = at
                done.append(case)
                _statement_ends(stack, match.end())
        elif word in _OPEN:
            stack.append(word)
        elif word in ("end", "join", "join_any", "join_none"):
            if isinstance(top, str) and _OPEN[top] in ("end", "join"):
                stack.pop()
            named = _AFTER_END.match(text, match.end())
            skip = named.end() if named and word == "end" and _is_name(text, named.end()) else 0
            _statement_ends(stack, skip or match.end())
        elif word in _BREAK:
            stack.clear()
        elif isinstance(top, Case):
            _in_case(top, text, word, match)
    return done


def _first_block(text: str) -> int:
    """Returns where the block with the first case begins: what stands before it holds none."""
    first = text.find("case")
    return max((m.start() for m in _BLOCK.finditer(text, 0, first)), default=first)


def _is_part(text: str, at: int, end: int) -> bool:
    """Returns whether a word is only a part of a longer name."""
    return bool(
        (at and _WITHIN_NAME.match(text[at - 1])) or (end < len(text) and text[end] in _LETTERS)
    )


def _is_name(text: str, end: int) -> bool:
    """Returns whether the name before `end` belongs to the `end`, and is no label with a colon."""
    return text[end : end + 40].lstrip()[:1] not in (":", ",")


def _in_case(case: Case, text: str, word: str, match: re.Match[str]) -> None:
    if word == ":" and not case.is_labelled:
        case.open_arm(text, match.start())
    elif word == ";" and case.is_labelled:
        case.close_arm(match.end())
    elif word == "default" and not case.is_labelled:
        case.open_arm(text, match.end())
    elif word == "else" and not case.is_labelled and case.arms:
        case.is_labelled = True


def _subject(text: str, at: int, stack: list[str | Case]) -> int:
    """Puts the case whose keyword ends at `at` on the stack and returns where its arms begin."""
    start = text.find("(", at, at + 40)
    if start < 0 or text[at:start].strip():
        return at
    end = closing(text, start + 1, 500)
    subject = "".join(text[start + 1 : max(end - 1, start + 1)].split())
    inside = re.compile(r"\s*(?:inside|matches)\b").match(text, end)
    begin = inside.end() if inside else end
    stack.append(Case(subject, at, read_from=begin))
    return begin


def _unwind(stack: list[str | Case]) -> None:
    """Drops what was left open inside the innermost case, as broken code or macros leave it."""
    inner = next((i for i in reversed(range(len(stack))) if isinstance(stack[i], Case)), None)
    if inner is not None:
        del stack[inner + 1 :]


def _statement_ends(stack: list[str | Case], at: int) -> None:
    if stack and isinstance(stack[-1], Case):
        stack[-1].close_arm(at)


def split_labels(text: str) -> tuple[str, ...]:
    """Returns the labels of an arm, split at the commas outside of brackets."""
    if "," not in text:
        return (text,)
    out, depth, start = [], 0, 0
    for at, char in enumerate(text):
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and depth == 0:
            out.append(text[start:at])
            start = at + 1
    return tuple(part for part in (*out, text[start:]) if part)
