"""JSON from language models: whatever comes, an object or a ValueError."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdlgraph.llm.structured import parse_json

LETTERS = st.characters(codec="utf-8")
TEXTS = st.text(LETTERS, max_size=30)
LEAVES = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | TEXTS
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=5)
NAMED = st.dictionaries(st.sampled_from(["purpose", "blocks", "ports"]), VALUES, min_size=1)
PROSE = st.text(st.characters(codec="utf-8", exclude_characters="{}[]`\"'<"), max_size=60)
STYLES = st.sampled_from([{}, {"indent": 2}, {"ensure_ascii": False}, {"separators": (",", ":")}])


@given(OBJECTS, STYLES)
@settings(deadline=None)
def test_plain_objects(value: dict, style: dict) -> None:
    assert parse_json(json.dumps(value, **style)) == value


@given(NAMED, STYLES, PROSE, PROSE, st.sampled_from(["", "json", "JSON"]))
@settings(deadline=None)
def test_objects_in_fences_and_prose(
    value: dict, style: dict, before: str, after: str, word: str
) -> None:
    text = json.dumps(value, **style)
    assert parse_json(f"{before}{text}{after}") == value
    assert parse_json(f"{before}\n```{word}\n{text}\n```\n{after}") == value


@given(st.dictionaries(st.text("abcd", min_size=1), st.text("xyz ", min_size=1), min_size=1))
@settings(deadline=None)
def test_trailing_commas(value: dict) -> None:
    text = json.dumps(value, indent=1)[:-2] + ",\n}"
    assert parse_json(text) == value
    assert parse_json(f"Here it is:\n```json\n{text}\n```") == value


@given(NAMED, st.floats(0, 1))
@settings(deadline=None)
def test_cut_answers_parse_or_raise_value_error(value: dict, share: float) -> None:
    text = json.dumps(value)
    try:
        found = parse_json(text[: int(len(text) * share)])
    except ValueError:
        return
    assert isinstance(found, dict)
    json.dumps(found, ensure_ascii=False).encode()


@given(st.text(st.sampled_from("{}[]\"':,\\ \nabu019`/*#-<think>"), max_size=200) | st.text())
@settings(deadline=None, max_examples=300)
def test_noise_parses_or_raises_value_error(text: str) -> None:
    try:
        found = parse_json(text)
    except ValueError:
        return
    assert isinstance(found, dict)
    json.dumps(found, ensure_ascii=False, allow_nan=False).encode()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"purpose": "a FIFO", "blocks": ["x", "y"', {"purpose": "a FIFO", "blocks": ["x", "y"]}),
        ('{"a": {"b": 1}, "list": [{"c": 2}, {"d": ', {"a": {"b": 1}, "list": [{"c": 2}]}),
        ("{'a': 'b',}", {"a": "b"}),
        ('{"a": 1} // as asked', {"a": 1}),
        ('{"a": "line\nbreak\tand tab"}', {"a": "line\nbreak\tand tab"}),
        ('<think>{"no": 1}</think>\n{"a": 1}', {"a": 1}),
        ('the set {a, b} and {} give {"x": 1}', {"x": 1}),
        ('{"s": 1} or rather {"a": 1, "b": 2}', {"a": 1, "b": 2}),
        ('[{"a": 1}]', {"a": 1}),
        ('{"a": NaN, "b": Infinity, "c": 1e999}', {"a": None, "b": None, "c": None}),
        ('{"a": "\\ud83d!"}', {"a": "\ufffd!"}),
        ("\ufeff{}", {}),
    ],
)
def test_known_habits(text: str, value: dict) -> None:
    found = parse_json(text)
    if "list" in value:
        assert found["a"] == value["a"] and found["list"][0] == value["list"][0]
    else:
        assert found == value


@pytest.mark.parametrize("text", ["", "  ", "null", "[1, 2]", "I cannot help.", "{", "42", '"{"'])
def test_no_object(text: str) -> None:
    with pytest.raises(ValueError, match="it "):
        parse_json(text)


@pytest.mark.parametrize("text", ['{"a":' * 50_000, "[" * 100_000 + '{"a":1}', '{"a":"x\\"' * 9000])
def test_deep_and_long_answers_end_soon(text: str) -> None:
    started = time.perf_counter()
    try:
        parse_json(text)
    except ValueError:
        pass
    assert time.perf_counter() - started < 8
    with pytest.raises(ValueError, match="characters"):
        parse_json("x" * 400_001)
