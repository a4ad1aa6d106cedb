"""The whole path once with a real language model. Its prose is poor; the path must hold."""

from __future__ import annotations

import json

from _llama import MODEL, Llama


def client(llama: Llama):
    from openai import OpenAI

    return OpenAI(base_url=llama.base_url, api_key="none", max_retries=0, timeout=60)


def test_server_chats_and_counts(llama: Llama) -> None:
    answer = client(llama).chat.completions.create(
        model=MODEL,
        messages=[{"role": "user", "content": "What is a first-in first-out queue?"}],
        max_tokens=24,
        temperature=0,
    )
    assert len(answer.choices[0].message.content.split()) > 3
    assert answer.usage.prompt_tokens > 8
    assert 0 < answer.usage.completion_tokens <= 24


def test_server_streams(llama: Llama) -> None:
    pieces = client(llama).chat.completions.create(
        model=MODEL,
        messages=[{"role": "user", "content": "Count from one to ten."}],
        max_tokens=24,
        temperature=0,
        stream=True,
    )
    texts = [c.choices[0].delta.content for c in pieces if c.choices and c.choices[0].delta.content]
    assert len(texts) > 3


def test_server_keeps_to_a_schema(llama: Llama) -> None:
    schema = {
        "type": "object",
        "properties": {"kind": {"enum": ["queue", "arbiter"]}, "full": {"type": "boolean"}},
        "required": ["kind", "full"],
        "additionalProperties": False,
    }
    answer = client(llama).chat.completions.create(
        model=MODEL,
        messages=[{"role": "user", "content": "Describe a full queue as JSON."}],
        max_tokens=64,
        temperature=0,
        response_format={
            "type": "json_schema",
            "json_schema": {"name": "thing", "schema": schema, "strict": True},
        },
    )
    value = json.loads(answer.choices[0].message.content)
    assert value["kind"] in ("queue", "arbiter") and isinstance(value["full"], bool)
