"""What of a unit may be there at once: not the arms of one chain of generates or `ifdefs."""

from __future__ import annotations

from collections import Counter

from hdlgraph.model.flow import Flow, Guard
from hdlgraph.parsers.text.expressions import closing


def most_parts(flow: Flow) -> int:
    """Returns the most instances that any values of the parameters give a unit.

    Those of `if (A) ... else if (B) ... else ...` count by the largest branch. A loop counts once.
    """
    most: Counter[int] = Counter(child.guard for child in flow.children)
    arms: dict[int, list[int]] = {}
    for at, guard in enumerate(flow.guards):
        if guard.kind == "generate":
            arms.setdefault(guard.outer, []).append(at)
    for outer in sorted(arms, reverse=True):  # what stands in a guard comes behind it
        largest: dict[str, int] = {}
        for at in arms[outer]:
            first = _first_of_chain(flow.guards[at], largest)
            largest[first] = max(largest.get(first, 0), most[at])
        most[outer] += sum(largest.values())
    return most[-1]


def _first_of_chain(guard: Guard, known: dict[str, int]) -> str:
    """Returns the first condition of the chain of `if`s that a generate branch is in."""
    text = guard.text
    end = closing(text, 2, len(text)) - 1 if text.startswith("!(") else 0
    return text[2:end] if text[2:end] in known else text


def exclude(one: str, other: str) -> bool:
    """Returns whether two conditions of `ifdefs cannot hold together: `SIM && !FAST`, `!SIM`."""
    asked = {text.strip() for text in one.split("&&") if text.strip()}
    return any(_not(text.strip()) in asked for text in other.split("&&") if text.strip())


def _not(text: str) -> str:
    return text.removeprefix("!") if text.startswith("!") else f"!{text}"
