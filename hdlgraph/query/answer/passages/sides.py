"""Puts the file of the side that a question names before its sibling of the other side."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

from hdlgraph.query.answer.design_first import of_design
from hdlgraph.words import split_identifier

T = TypeVar("T")
AMONG = 5  # first files that may change places
CLOSE = 0.6  # share of what the first file is worth that one put before it has at least
_SIDES = (
    (
        "instruction instructions fetch fetches fetched icache itlb",
        "instruction instr inst icache fetch ifetch ifu fe if itlb imem frontend",
    ),
    ("dcache lsu dtlb", "dcache load store lsu dmem dtlb"),
    ("read reads reading", "read rd reader"),
    ("write writes writing written", "write wr writer"),
    ("transmit transmits transmitter transmitted tx send sends", "tx transmit transmitter"),
    ("receive receives receiver received rx", "rx receive receiver"),
    ("host master initiator", "host master initiator"),
    ("device slave target", "device slave target"),
    ("fpga", "fpga xilinx altera intel"),
    ("harness", "harness testharness"),
)
BOTH = frozenset("reg regs register registers csr csrs cfg config top pkg".split())
"""Parts of the names of files that hold both sides, such as their registers."""
_WORDS = tuple((frozenset(said.split()), frozenset(named.split())) for said, named in _SIDES)


def side_first(
    found: Sequence[T],
    question_words: Collection[str],
    path_of: Callable[[T], str],
    worth: Callable[[T], float],
) -> list[T]:
    """Returns files in their order, but first one whose name has the side that a question names.

    Nothing changes where the first has it already, where the question names several sides, or
    where none of the first few files fits the question about as well.

    Args:
        found: the files, best first.
        question_words: the question's words in lower case.
        path_of: gives a file's path.
        worth: gives how well a file fits the question.
    """
    asked = [named for words, named in _WORDS if words & set(question_words)]
    if len(asked) != 1 or len(found) < 2:
        return list(found)
    named = asked[0]
    first = path_of(found[0])
    if _parts(first) & (named | BOTH) or _stem(first).lower() in question_words:
        return list(found)
    least = CLOSE * worth(found[0])
    for number, one in enumerate(found[1:AMONG], 1):
        path = path_of(one)
        if _parts(path) & named and of_design(path) and worth(one) >= least:
            return [one, *found[:number], *found[number + 1 :]]
    return list(found)


def _parts(path: str) -> set[str]:
    return {part.lower() for part in split_identifier(_stem(path))}


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]
