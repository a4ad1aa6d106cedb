"""`hdlgraph mcp` over stdio, asked by the official client: the protocol, and bad input."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from _servers import START, Session, environment, over_stdio
from mcp.shared.exceptions import MCPError

from hdlgraph.project import Project
from hdlgraph.serve.mcp.brief import brief

FILE = "rtl/bus_arbiter.sv"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("m")


@pytest.fixture(scope="module")
def served(soc_words: Path, place: Path) -> Iterator[Session]:
    env = environment(place)
    with over_stdio("--index", str(soc_words), env=env, errlog=place / "log") as opened:
        yield opened


def test_the_tools_are_listed_as_reading_alone(served: Session) -> None:
    listed = served.run(served.client.list_tools).tools
    assert [tool.name for tool in listed] == [
        *("search_files", "ask", "show", "relations", "read_lines", "overview", "index_status")
    ]
    assert all(tool.annotations.read_only_hint for tool in listed)
    assert "repository" not in listed[0].input_schema["properties"]


def test_a_search_comes_as_text_and_as_an_object(served: Session) -> None:
    result = served("search_files", question="round robin", limit=2)
    assert not result.is_error
    assert result.structured_content["files"][0]["path"] == FILE
    assert result.content[0].text.splitlines()[1].startswith(f"1. {FILE} (rtl")
    assert "stale: true" not in result.content[-1].text


def test_objects_are_those_of_the_facade(served: Session, soc_words: Path) -> None:
    result = served("show", name="soc_top")
    assert result.structured_content == json.loads(
        json.dumps(brief(Project(soc_words).show("soc_top")))
    )


def test_failures_are_results(served: Session) -> None:
    for tool, given in (
        ("show", {"name": "no_such_thing"}),
        ("search_files", {"question": "x" * 1_000_000}),
        ("read_lines", {"path": "../../etc/passwd"}),
        ("no_such_tool", {}),
    ):
        result = served(tool, **given)
        assert result.is_error
        assert result.structured_content is None
        assert len(result.content[0].text) < 500
    assert not served("search_files", question="still here").is_error


def test_unit_cards_are_resources(served: Session) -> None:
    templates = served.run(served.client.list_resource_templates).resource_templates
    assert [one.uri_template for one in templates] == ["hdlgraph://unit/{name}"]
    card = served.run(served.client.read_resource, "hdlgraph://unit/bus_arbiter").contents[0]
    assert f"{FILE}:" in card.text
    for wrong in ("hdlgraph://unit/no_such", "hdlgraph://file/x", "file:///etc/passwd"):
        with pytest.raises(MCPError):
            served.run(served.client.read_resource, wrong)


def raw(*messages: object, env: dict[str, str], index: Path, wait: float = 0) -> list[str]:
    """Returns the lines of stdout after lines of stdin, the last of which may be no JSON."""
    lines = [one if isinstance(one, str) else json.dumps(one) for one in messages]
    command = [*START, "mcp", "--index", str(index)]
    done = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env
    )
    done.stdin.write("".join(f"{line}\n" for line in lines).encode())
    done.stdin.flush()
    found = [done.stdout.readline().decode() for _ in range(wait)] if wait else []
    rest, _ = done.communicate(timeout=60)
    assert done.returncode == 0
    return [*found, *rest.decode().splitlines()]


def request(number: int, method: str, **params: object) -> dict:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


HELLO = request(
    1,
    "initialize",
    protocolVersion="2025-06-18",
    capabilities={},
    clientInfo={"name": "t", "version": "1"},
)
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def test_stdout_carries_the_protocol_alone(indexed_soc: Path, place: Path) -> None:
    (indexed_soc / FILE).write_text("module bus_arbiter; endmodule\n")  # makes notes
    lines = raw(
        HELLO,
        READY,
        "this is no JSON",
        request(2, "tools/call", name="search_files", arguments={"question": "round robin"}),
        env=environment(place, PYTHONWARNINGS="always"),
        index=indexed_soc,
        wait=2,  # no answer to what is no message
    )
    answers = [json.loads(line) for line in lines]
    assert {one.get("jsonrpc") for one in answers} == {"2.0"}
    found = next(one for one in answers if one.get("id") == 2)
    assert found["result"]["content"][-1]["text"].startswith("stale: true")
    assert found["result"]["structuredContent"]["moved"]["changed"] == [FILE]


def test_a_client_that_leaves_in_the_middle_ends_the_server(soc_words: Path, place: Path) -> None:
    started = time.monotonic()
    asks = request(2, "tools/call", name="ask", arguments={"question": "round robin"})
    raw(HELLO, READY, asks, env=environment(place), index=soc_words)
    assert time.monotonic() - started < 30


def test_an_index_may_be_missing_and_then_made(soc: Path, place: Path, tmp_path: Path) -> None:
    env = environment(place)
    with over_stdio("--index", str(soc), env=env, errlog=tmp_path / "log") as opened:
        first = opened("search_files", question="round robin")
        assert first.is_error
        assert "create it with `hdlgraph index" in first.content[0].text
        subprocess.run(
            [*START, "index", str(soc), "--no-embeddings", "--graphrag", "never"],
            check=True,
            capture_output=True,
            env=env,
        )
        assert not opened("search_files", question="round robin").is_error
        (soc / "rtl" / "new.sv").write_text("module brand_new_unit; endmodule\n")
        assert opened("show", name="brand_new_unit").is_error
        again = subprocess.Popen(
            [*START, "index", str(soc), "--no-embeddings", "--graphrag", "never"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=env,
        )
        while again.poll() is None:  # while the index is rewritten, there is always one
            assert not opened("search_files", question="round robin").is_error
        assert again.returncode == 0
        assert not opened("show", name="brand_new_unit").is_error


def test_two_servers_on_one_index_both_answer(served, soc_words, place, tmp_path) -> None:
    env = environment(place)
    with over_stdio("--index", str(soc_words), env=env, errlog=tmp_path / "log") as second:
        one, two = (
            ask("search_files", question="round robin").structured_content
            for ask in (served, second)
        )
    assert one == two
    assert not (tmp_path / "log").stat().st_size


def test_several_repositories(soc_words: Path, place: Path, tmp_path: Path) -> None:
    names = [f"a={soc_words}", f"b={soc_words}"]
    with over_stdio(*names, env=environment(place), errlog=tmp_path / "log") as opened:
        listed = opened.run(opened.client.list_tools).tools
        assert listed[0].input_schema["properties"]["repository"]["enum"] == ["a", "b"]
        assert opened("show", name="soc_top").is_error
        assert not opened("show", name="soc_top", repository="b").is_error
        uri = "hdlgraph://unit/soc_top?repository=a"
        assert opened.run(opened.client.read_resource, uri).contents
