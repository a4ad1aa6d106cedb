"""Passages are taken apart with their lines, and what says most about a question is quoted."""

from __future__ import annotations

from hdlgraph.query.documents.pieces import CODE, ROW, SENTENCE, pieces
from hdlgraph.query.documents.quotes import best_quotes

TEXT = """# Pump

The pump moves
water. It has two speeds.

- Slow saves power.

```sh
pump start --slow
```

| Switch | Meaning |
|---|---|
| `--slow` | saves power |
***
"""


def test_pieces_keep_their_kinds_and_lines() -> None:
    found = [(one.kind, one.text, one.line, one.end_line) for one in pieces(TEXT)]
    assert found == [
        (SENTENCE, "The pump moves water.", 2, 3),
        (SENTENCE, "It has two speeds.", 3, 3),
        (SENTENCE, "- Slow saves power.", 5, 5),
        (CODE, "pump start --slow", 8, 8),
        (ROW, "Switch Meaning", 11, 11),
        (ROW, "`--slow` saves power", 13, 13),
    ]


def test_an_open_fence_and_a_long_text_end() -> None:
    assert [one.text for one in pieces("```\na = 1")] == ["a = 1"]
    assert len(pieces("\n\n".join(f"Line {n} is here." for n in range(5_000)))) == 2_000
    assert pieces("") == pieces("\n\n---\n") == []


def quoted(question: str, *texts: str, most: int = 60) -> list[str]:
    return [one.piece.text for one in best_quotes(question, texts, lambda stem: 1.0, most)]


def test_the_words_of_the_question_choose() -> None:
    text = "The valve opens at noon. The pump starts at dawn. Birds sing."
    assert quoted("when does the pump start", text) == ["The pump starts at dawn."]
    assert quoted("what about elephants", text) == []
    assert quoted("pump", "") == []


def test_code_comes_with_the_sentence_that_introduces_it() -> None:
    text = "Start the pump slowly:\n\n```sh\nrun -s 1\n```\n\nStop the valve:\n\n```sh\nend\n```\n"
    assert quoted("how is the pump started slowly", text) == ["Start the pump slowly:", "run -s 1"]


def test_what_several_passages_repeat_is_left_out() -> None:
    note = "Parameters of the pump are optional."
    texts = [f"{note}\n\nThe pump has part {n}." for n in range(3)]
    assert note not in quoted("pump parameters", *texts)
    assert quoted("pump parameters", texts[0])[0] == note


def test_an_answer_has_an_end_and_keeps_the_order_of_the_text() -> None:
    text = "\n\n".join(f"The pump has speed number {n} for water." for n in range(40))
    found = quoted("pump speed", text, most=30)
    assert found == sorted(found, key=text.index)
    assert 16 <= sum(len(one.split()) for one in found) <= 38
