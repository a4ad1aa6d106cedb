"""JSON from language models: whatever comes, an object or a ValueError."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdlgraph.errors import CallError
from hdlgraph.eval.stubs.faults import first
from hdlgraph.eval.stubs.server import Stub
from hdlgraph.llm import structured
from hdlgraph.llm.call import Call
from hdlgraph.llm.client import Client
from hdlgraph.llm.spend import Spending
from hdlgraph.llm.structured import ask_json, parse_json
from hdlgraph.settings.records import LlmSettings

# Control characters and those that turn the direction of writing are left out of answers.
CODES = (range(32), range(0x7F, 0xA0), range(0x202A, 0x202F), range(0x2066, 0x206A))
ODD = "".join(chr(code) for codes in CODES for code in codes if code not in (9, 10, 13))
LETTERS = st.characters(codec="utf-8", exclude_characters=ODD)
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
        assert found["a"] == value["a"]
        assert found["list"][0] == value["list"][0]
    else:
        assert found == value


@pytest.mark.parametrize("text", ["", "  ", "null", "[1, 2]", "I cannot help.", "{", "42", '"{"'])
def test_no_object(text: str) -> None:
    with pytest.raises(ValueError, match="it "):
        parse_json(text)


@pytest.mark.parametrize("text", ['{"a":' * 50_000, "[" * 100_000 + '{"a":1}', '{"a":"x\\"' * 9000])
def test_deep_and_long_answers_end_soon(text: str) -> None:
    started = time.process_time()
    with suppress(ValueError):
        parse_json(text)
    assert time.process_time() - started < 8
    with pytest.raises(ValueError, match="characters"):
        parse_json("x" * 400_001)


# ask_json, against a real server.

SCHEMA = {
    "type": "object",
    "properties": {"purpose": {"type": "string"}},
    "required": ["purpose"],
    "additionalProperties": False,
}


def purpose(found: dict) -> str:
    """The check of a caller: raises for what is not asked for."""
    if not isinstance(found["purpose"], str) or not found["purpose"].strip():
        raise ValueError("purpose must be a text that is not empty")
    return found["purpose"]


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub() as server:
        yield server


def ask(stub: Stub, meter: Spending | None = None, check=purpose, **more) -> str:
    values = {"stage": "explain", "name": "a.sv", "model": "m", "user": "module a;"} | more
    llm = LlmSettings(provider="openai", base_url=stub.base_url, retries=0)

    async def scenario() -> str:
        async with Client(llm, None, meter) as client:
            return await ask_json(client, Call(schema=SCHEMA, **values), check)

    return asyncio.run(scenario())


def answers(stub: Stub, *texts: str | dict) -> None:
    """Has the stub answer one after the other."""
    left = list(texts)
    stub.reply = lambda body: left.pop(0)


def test_a_good_answer_takes_one_call(stub: Stub) -> None:
    answers(stub, 'Here:\n```json\n{"purpose": "a FIFO",}\n```')
    assert ask(stub) == "a FIFO"
    assert stub.calls == 1


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ("It is a FIFO.", "it holds no JSON object"),
        ('{"purpose": ""}', "purpose must be a text that is not empty"),
        ('{"purpose": ["a"]}', "purpose must be a text"),
        ('{"summary": "x"}', "KeyError('purpose')"),
    ],
)
def test_a_bad_answer_is_asked_for_again_once(stub: Stub, bad: str, told: str) -> None:
    answers(stub, bad, {"purpose": "a FIFO"})
    meter = Spending(LlmSettings())
    assert ask(stub, meter) == "a FIFO"
    first, second = stub.requests
    assert [turn["role"] for turn in second["messages"]] == ["user", "assistant", "user"]
    assert second["messages"][0] == first["messages"][0]
    assert second["messages"][1]["content"] == bad
    assert told in second["messages"][2]["content"]
    assert second["response_format"] == first["response_format"]
    (usage,) = meter.by_stage()
    assert (usage.calls, usage.input_tokens) == (2, stub.input_tokens)


def test_two_bad_answers_fail_the_call(stub: Stub) -> None:
    answers(stub, "no", "still no", "never asked")
    with pytest.raises(CallError, match=r"a\.sv: m gave no usable answer") as caught:
        ask(stub)
    assert caught.value.kind == "format"
    assert stub.calls == 2


def test_a_long_bad_answer_is_shown_in_part(stub: Stub) -> None:
    answers(stub, "word " * 5000, {"purpose": "a FIFO"})
    ask(stub)
    assert len(stub.requests[1]["messages"][1]["content"]) < 4000


def test_an_answer_cut_for_its_length_is_asked_for_shorter(stub: Stub) -> None:
    answers(stub, {"purpose": ""}, {"purpose": "a FIFO"})
    stub.faults = first("length")
    assert ask(stub, check=lambda found: purpose(found)) == "a FIFO"
    assert "be shorter" in stub.requests[1]["messages"][2]["content"]


def test_the_second_call_has_a_key_of_its_own(stub: Stub) -> None:
    call = Call(stage="s", name="n", model="m", user="u", key="content", schema=SCHEMA)
    again = structured._again(call, "bad", "no")
    other = structured._again(call, "worse", "no")
    assert len({one.digest("e") for one in (call, again, other)}) == 3
    assert again.digest("e") == structured._again(call, "bad", "no").digest("e")
