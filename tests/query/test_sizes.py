"""How many bits or elements a range has."""

from __future__ import annotations

import pytest

from hdlgraph.query.answer.direct.sizes import size_in_words, size_of

DEFAULTS = {
    "AW": "$clog2(DEPTH)",
    "DEPTH": "4",
    "Own": "Own",
    "CW": "(DEPTH == 1) ? 1 : $clog2(DEPTH)",
    "Text": '"a"',
}


def default(name: str, unit: str) -> tuple[str, str] | None:
    return (DEFAULTS[name], unit) if name in DEFAULTS else None


@pytest.mark.parametrize(
    ("ranges", "words", "number"),
    [
        ("[AW:0]", "AW + 1", 3),
        ("[CW:0]", "CW + 1", 3),
        ("[AW-1:0]", "AW", 2),
        ("[0:DEPTH - 1]", "DEPTH", 4),
        ("[DEPTH]", "DEPTH", 4),
        ("[$clog2(DEPTH+1):0]", "$clog2(DEPTH+1) + 1", 4),
        ("[15:0]", "15 + 1", 16),
        ("[7:4]", "", 4),
        ("[DEPTH-2:0]", "", 3),
        ("[2*DEPTH+AW-1:0]", "2*DEPTH+AW", 10),
        ("[pkg::W-1:0]", "pkg::W", 0),
        ("[Own-1:0]", "Own", 0),
        ("[Text:0]", "Text + 1", 0),
        ("[3:0][1:0]", "", 0),
        ("[A ? 3 : 1]", "", 0),
        ("", "", 0),
    ],
)
def test_a_range_is_told_by_its_parameters_and_as_a_number(
    ranges: str, words: str, number: int
) -> None:
    assert size_in_words(ranges) == words
    assert size_of(ranges, "m", default) == number
