"""Tokens are counted and clipped without a network."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdlgraph.llm import tokens
from hdlgraph.llm.call import Call
from hdlgraph.llm.tokens import clip_tokens, count_messages, count_tokens

CALL = Call(stage="explain", name="a.sv", model="m", system="Explain.", user="module a; endmodule")


def test_known_counts() -> None:
    assert tokens.encoder() is not None
    assert count_tokens("") == 0
    assert count_tokens("hello world") == 2
    assert count_tokens("module a; endmodule") == 5


def test_special_tokens_are_ordinary_text() -> None:
    assert count_tokens("<|endoftext|>") > 1


def test_messages_hold_the_schema_and_the_frame() -> None:
    plain = count_messages(CALL)
    texts = count_tokens(CALL.system) + count_tokens(CALL.user)
    assert texts < plain <= texts + 16
    schema = {"type": "object", "properties": {"purpose": {"type": "string"}}}
    import msgspec

    assert count_messages(msgspec.structs.replace(CALL, schema=schema)) >= plain + 10


@given(st.text(max_size=400), st.integers(0, 60))
@settings(deadline=None)
def test_clipped_text_is_a_beginning_that_fits(text: str, limit: int) -> None:
    cut = clip_tokens(text, limit)
    assert text.startswith(cut)
    assert count_tokens(cut) <= limit
    if count_tokens(text) <= limit:
        assert cut == text


@pytest.mark.parametrize("piece", ["a", " ", "=", "\n", "é", "x\n"])
def test_long_runs_take_little_time(piece: str) -> None:
    started = time.process_time()
    text = piece * 400_000
    assert count_tokens(text) > 1000
    assert count_tokens(clip_tokens(text, 100)) <= 100
    assert time.process_time() - started < 5


def test_without_the_table_a_count_is_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_table_folder", lambda: None)
    tokens.encoder.cache_clear()
    try:
        assert count_tokens("x" * 35) == 10
        assert clip_tokens("x" * 100, 10) == "x" * 35
    finally:
        monkeypatch.undo()
        tokens.encoder.cache_clear()


def test_a_damaged_table_is_not_fetched(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = next(p.name for p in tokens._table_folder().iterdir() if p.stat().st_size > 3e6)
    (tmp_path / name).write_bytes(b"damaged")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    tokens.encoder.cache_clear()
    assert count_tokens("hello world") == 2  # from the sound copy
    assert (tmp_path / name).read_bytes() == b"damaged"


def test_import_loads_nothing_heavy() -> None:
    code = (
        "import sys, hdlgraph.llm.tokens, hdlgraph.llm.spend, hdlgraph.llm.structured;"
        "print([m for m in ('tiktoken', 'litellm', 'openai', 'json_repair') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
