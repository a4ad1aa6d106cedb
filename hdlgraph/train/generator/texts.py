"""Reads what `train export` wrote as tokens to learn from, and which of them count."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from hdlgraph.errors import UsageError
from hdlgraph.safety.safe_files import read_regular

LIMIT = 2_000_000_000
"""Bytes of a file of an export."""
END = 24
"""Tokens at the end of a question that stay where its code is cut: they open the answer."""
ANSWER = 0.75
"""Share of the tokens that an answer may have."""
NONE = -100
"""The label of a token that is not learnt, as PyTorch has it."""


class Text(NamedTuple):
    """The tokens of a text, and the label of each: the token itself, or NONE."""

    ids: list[int]
    labels: list[int]


def read_part(folder: Path, part: str) -> list[dict[str, Any]]:
    """Returns the records of a file of an export.

    Args:
        folder: `train` or `valid` of it.
        part: "pretrain" or "chat".

    Raises:
        UsageError: the file cannot be read, or a line is no record of its kind.
    """
    path = folder / f"{part}.jsonl"
    try:
        lines = read_regular(path, LIMIT).splitlines()
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{path}: cannot be read ({error}); write it with `hdlgraph train export`"
        ) from error
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(_checked(msgspec.json.decode(line), part))
        except (msgspec.DecodeError, ValueError) as error:
            raise UsageError(f"{path}:{number}: {error}") from error
    return found


def _checked(one: Any, part: str) -> dict[str, Any]:
    if part == "pretrain":
        if isinstance(one, dict) and isinstance(one.get("text"), str):
            return one
        raise ValueError('no "text"')
    turns = one.get("messages") if isinstance(one, dict) else None
    if not (
        isinstance(turns, list)
        and len(turns) > 1
        and all(_is_turn(turn) for turn in turns)
        and turns[-1]["role"] == "assistant"
    ):
        raise ValueError('no "messages" that end with the assistant\'s')
    return dict(one)


def _is_turn(turn: Any) -> bool:
    return isinstance(turn, dict) and all(
        isinstance(turn.get(key), str) for key in ("role", "content")
    )


def spread(records: Sequence[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """Returns at most so many records, evenly spread."""
    if len(records) <= count:
        return list(records)
    return [records[n * len(records) // count] for n in range(count)]


def in_turn(records: Sequence[Any], count: int, seed: int) -> list[Any]:
    """Returns `count` records in an order drawn at random, all of them before any again."""
    dice, found = random.Random(seed), list[Any]()
    while records and len(found) < count:
        found += dice.sample(list(records), len(records))
    return found[:count]


def encoded(record: dict[str, Any], tokenizer: Any, most: int) -> Text:
    """Returns the tokens of a record; of a conversation the assistant's words alone are learnt.

    Args:
        record: as `read_part` gives it.
        tokenizer: of transformers.
        most: tokens that are kept; of a conversation the code is cut.
    """
    if "messages" not in record:
        ids = list(tokenizer(record["text"])["input_ids"])[:most]
        return Text(ids, list(ids))
    turns = record["messages"]
    asked = _template(tokenizer, turns[:-1], True)
    whole = _template(tokenizer, turns, False)
    answer = whole[len(asked) :][: int(ANSWER * most)]
    room = most - len(answer)
    if len(asked) > room:
        asked = asked[: room - END] + asked[-END:]
    return Text(asked + answer, [NONE] * len(asked) + answer)


def _template(tokenizer: Any, turns: Sequence[dict[str, str]], opens: bool) -> list[int]:
    text = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=opens)
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])
