"""Many files asked at once: failures, stops, cancellation; and answers of any shape."""

from __future__ import annotations

import asyncio
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hdlgraph.errors import BudgetError, CallError, UsageError
from hdlgraph.index.explain.by_model.answer import FIELDS, MAX_CONCEPTS, read_explanation
from hdlgraph.index.explain.by_model.kept import ModelExplanation
from hdlgraph.index.explain.by_model.many_files import ask_each
from hdlgraph.model import FileRecord

RECORDS = [
    FileRecord(f"{n:02}.sv", "", "testbench" if n % 3 == 0 else "rtl", "", 1, 1, "ascii")
    for n in range(30)
]


def _kept(path: str, **how) -> ModelExplanation:
    return ModelExplanation(path=path, purpose="Does things.", **how)


def _asked(ask, workers=4, on_done=None):
    return asyncio.run(ask_each(RECORDS, ask, workers, on_done))


def test_no_more_files_are_under_way_than_there_are_workers():
    now = most = 0

    async def ask(record):
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.001)
        now -= 1
        return _kept(record.path)

    result = _asked(ask, 5)
    assert most == 5
    assert list(result.explanations) == [r.path for r in RECORDS]


def test_each_failure_is_listed_with_its_words():
    async def ask(record):
        if record.path in ("03.sv", "07.sv"):
            raise CallError(f"{record.path}: the model refused", "refusal")
        return None if record.path == "05.sv" else _kept(record.path)

    result = _asked(ask)
    assert [(f.path, f.kind) for f in result.fallbacks] == [
        ("03.sv", "refusal"),
        ("07.sv", "refusal"),
    ]
    assert result.skipped == ("05.sv",)
    assert not result.stopped
    assert len(result.explanations) == 27


@pytest.mark.parametrize("error", [BudgetError("--max-cost 1 is reached"), CallError("x", "auth")])
def test_a_stop_lets_files_under_way_finish_and_begins_no_other(error):
    begun = []

    async def ask(record):
        begun.append(record.path)
        if len(begun) == 4:
            raise error
        await asyncio.sleep(0.01)
        return _kept(record.path)

    result = _asked(ask, 4)
    assert len(begun) == 4
    assert len(result.explanations) == 3
    assert len(result.fallbacks) == 27
    assert result.stopped == str(error)
    assert {f.reason for f in result.fallbacks} == {f"not asked: {error}"}


def test_an_error_of_the_user_ends_everything_at_once():
    done = []

    async def ask(record):
        if record.path == "02.sv":
            raise UsageError("wrong key")
        await asyncio.sleep(5)
        done.append(record.path)

    with pytest.raises(UsageError, match="wrong key"):
        _asked(ask, 30)
    assert done == []


def test_counts_of_names_and_repairs():
    async def ask(record):
        number = int(record.path[:2])
        invented = ("ghost_1",) if number < 3 else ()
        return _kept(record.path, names=number, invented=invented, repaired=number == 9)

    result = _asked(ask)
    assert result.n_names == sum(range(30))
    assert result.repaired == 1
    assert list(result.flagged) == ["00.sv", "01.sv", "02.sv"]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=60),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=12,
)
ANSWERS = st.dictionaries(
    st.sampled_from([*FIELDS, "concepts", "behavior", "Purpose", "explanation"]), VALUES
)


@given(ANSWERS)
def test_any_object_is_an_explanation_or_refused(raw):
    try:
        found = read_explanation(raw, "a.sv", "0" * 64, "m")
    except ValueError:
        return
    texts = [getattr(found, name) for name in FIELDS]
    for text, words in zip(texts, FIELDS.values(), strict=True):
        assert isinstance(text, str)
        assert len(text.split()) <= words + 1
    assert len(found.purpose.split()) >= 3
    assert len(found.concepts) <= MAX_CONCEPTS
    for text in (*texts, *found.concepts):
        assert "##" not in text
        assert "<|" not in text
        assert "|>" not in text
        assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e]", text)
    found.to_text().encode("utf-8")
