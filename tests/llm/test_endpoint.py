"""Which endpoint a client calls, and with which key: a real server on loopback."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from _calls import call, client, one

from hdlgraph.errors import CallError, UsageError
from hdlgraph.eval.stubs.faults import first
from hdlgraph.eval.stubs.server import Stub, quarter
from hdlgraph.llm.answers import AnswerStore
from hdlgraph.llm.client import Client
from hdlgraph.llm.endpoint.endpoint import configured, find_endpoint
from hdlgraph.settings.records import LlmSettings

KEY = "sk-very-secret-0123456789"


pytestmark = pytest.mark.usefixtures("no_keys")


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub(count=quarter) as server:
        yield server


def test_nothing_is_configured_by_default() -> None:
    assert not configured(LlmSettings())
    with pytest.raises(UsageError, match=r"llm\.provider"):
        find_endpoint(LlmSettings())


@pytest.mark.parametrize(
    ("llm", "named"),
    [
        (LlmSettings(provider="openai"), "OPENAI_API_KEY is not set"),
        (LlmSettings(provider="openai", key_env="TEAM_KEY"), "TEAM_KEY is not set"),
        (LlmSettings(provider="azure"), "AZURE_OPENAI_ENDPOINT"),
        (
            LlmSettings(provider="azure", base_url="https://x.openai.azure.com"),
            "AZURE_OPENAI_API_KEY is not set",
        ),
        (LlmSettings(provider="openai", base_url="localhost:8000"), r"llm\.base_url"),
        (LlmSettings(provider="openai", base_url="file:///etc/passwd"), r"llm\.base_url"),
        (LlmSettings(provider="openai", base_url="http://host:port/v1"), r"llm\.base_url"),
    ],
)
def test_a_bad_endpoint_is_named_before_anything_is_sent(llm: LlmSettings, named: str) -> None:
    with pytest.raises(UsageError, match=named):
        Client(llm)


@pytest.mark.parametrize(
    "address", ["http://me:hunter2@host/v1", "https://host/v1?key=hunter2", "http://host/#hunter2"]
)
def test_a_secret_in_the_address_is_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(UsageError, match="environment variable") as caught:
        find_endpoint(LlmSettings(provider="openai", base_url=address))
    assert "hunter2" not in str(caught.value)


def test_a_key_with_a_line_break_is_refused_and_not_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a\nX-Evil: b")
    with pytest.raises(UsageError, match="OPENAI_API_KEY") as caught:
        find_endpoint(LlmSettings(provider="openai"))
    assert "Evil" not in str(caught.value)


def test_the_environment_names_the_address(monkeypatch: pytest.MonkeyPatch, stub: Stub) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", stub.base_url + "/")
    endpoint = find_endpoint(LlmSettings(provider="openai"))
    assert endpoint.base_url == stub.base_url
    assert endpoint.label == f"openai {stub.base_url}"


def test_azure_takes_its_own_path_and_header(monkeypatch: pytest.MonkeyPatch, stub: Stub) -> None:
    stub.key = KEY
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    llm = LlmSettings(provider="azure", base_url=stub.base_url.removesuffix("/v1"))
    model = Client(llm)
    assert one(model, call(1)).text.startswith("Stub answer")
    assert list(model.stream(call(2)))
    assert [request["model"] for request in stub.requests] == ["stub-model"] * 2


def test_the_key_reaches_the_server_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
    stub: Stub,
    store: AnswerStore,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    stub.key = "another"  # the answer to a wrong key repeats it
    monkeypatch.setenv("TEAM_KEY", KEY)
    wrong = client(stub, store, key_env="TEAM_KEY")
    told = []
    for attempt in (lambda: one(wrong, call(1)), lambda: list(wrong.stream(call(1)))):
        with pytest.raises(CallError) as caught:
            attempt()
        told.append(caught.value)
    assert [error.kind for error in told] == ["auth", "auth"]
    assert "TEAM_KEY" in str(told[0])
    assert stub.headers[0]["Authorization"] == f"Bearer {KEY}"
    stub.key = KEY
    right = client(stub, store, key_env="TEAM_KEY")
    one(right, call(1))
    shown = [repr(right), repr(right.endpoint), right.endpoint.label, repr(vars(right)), repr(told)]
    for error in told:
        while error is not None:
            shown.append(f"{error} {error!r} {error.args}")
            error = error.__cause__ or error.__context__  # type: ignore[assignment]
    assert KEY not in "".join(shown)
    assert KEY not in caplog.text
    assert KEY.encode() not in store.path.read_bytes()


def test_a_redirect_is_not_followed(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    stub.faults = first("redirect", "redirect")
    model = client(stub)
    for attempt in (lambda: one(model, call(1)), lambda: list(model.stream(call(1)))):
        with pytest.raises(CallError, match=r"redirects; set llm\.base_url") as caught:
            attempt()
        assert caught.value.kind == "request"
