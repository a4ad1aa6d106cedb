"""The REST interface gives the objects of `--json`, and its document tells what it takes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from _web import form_token
from starlette.testclient import TestClient

from hdlgraph.serve.cli.main import run
from hdlgraph.serve.web import api

SAME = {
    "search": (["search", "uart receiver", "-k", "3"], {"q": "uart receiver", "k": 3}),
    "search by role": (
        ["search", "timer", "--role", "rtl", "--no-fold"],
        {"q": "timer", "role": "rtl", "fold": "false"},
    ),
    "ask": (["ask", "what resets the uart?"], {"q": "what resets the uart?"}),
    "show": (["show", "uart_rx"], {"name": "uart_rx"}),
    "who": (["who", "sync_fifo"], {"name": "sync_fifo"}),
    "tree": (["tree", "soc_top", "--depth", "2"], {"top": "soc_top", "depth": 2}),
    "path": (["path", "soc_top", "uart_rx"], {"source": "soc_top", "target": "uart_rx"}),
    "impact": (["impact", "sync_fifo", "--depth", "2"], {"name": "sync_fifo", "depth": 2}),
    "trace": (["trace", "sync_fifo.wready_o"], {"name": "sync_fifo.wready_o"}),
    "fsm": (["fsm", "uart_rx"], {"unit": "uart_rx"}),
    "registers": (["registers"], {}),
    "clocks": (["clocks", "soc_top"], {"unit": "soc_top"}),
    "crossings": (["crossings", "soc_top"], {"unit": "soc_top"}),
    "testbench": (["testbench"], {}),
    "status": (["status"], {}),
    "read": (["read", "rtl/uart_rx.sv:2-4"], {"path": "rtl/uart_rx.sv", "start": 2, "end": 4}),
}


@pytest.mark.parametrize("name", SAME)
def test_an_answer_is_the_object_of_the_command_line(
    page: TestClient, soc_words: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command, query = SAME[name]
    assert run([*command, "--index", str(soc_words), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    got = page.get(f"/api/v1/{command[0]}", params=query)
    assert got.status_code == 200
    assert got.headers["content-type"] == "application/json"
    assert without_times(got.json()) == without_times(told)
    plain = {key: value for key, value in query.items() if key not in ("role", "fold")}
    if plain == query:
        posted = page.post(f"/api/v1/{command[0]}", json=query)
        assert without_times(posted.json()) == without_times(told)


def without_times(found: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in found.items() if key != "seconds"}


def test_further_objects(page: TestClient) -> None:
    level = page.get("/api/v1/level", params={"unit": "soc_top"}).json()
    assert level["schema"] == 1
    assert level["unit"]["name"] == "soc_top"
    around = page.get("/api/v1/neighbours", params={"name": "uart", "relation": "INSTANTIATES"})
    assert {one["kind"] for one in around.json()["edges"]} == {"INSTANTIATES"}


def test_the_document_names_every_call_and_its_bounds(page: TestClient) -> None:
    told = page.get("/api/v1/openapi.json").json()
    assert told["openapi"].startswith("3.1")
    assert set(told["paths"]) == {f"/api/v1/{call.name}" for call in api.CALLS}
    schemas = told["components"]["schemas"]
    assert schemas["Search"]["properties"]["q"]["maxLength"] == 4000
    for call in api.CALLS:
        ways = told["paths"][f"/api/v1/{call.name}"]
        assert set(ways) == ({"post"} if call.changes else {"get", "post"})
        for parameter in ways.get("get", {}).get("parameters", ()):
            assert parameter["name"] in call.kind.__struct_fields__
    assert unresolved(told, schemas) == []


def unresolved(value: Any, schemas: dict[str, Any]) -> list[str]:
    """Returns the references of a document that lead nowhere."""
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        lost = [one for one in own if one.rpartition("/")[2] not in schemas]
        return lost + [one for part in value.values() for one in unresolved(part, schemas)]
    if isinstance(value, list):
        return [one for part in value for one in unresolved(part, schemas)]
    return []


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        ("/api/v1/search", 400, "`q`"),
        ("/api/v1/search?q=", 400, "length"),
        ("/api/v1/search?q=%3F%3F", 400, "question is empty"),
        ("/api/v1/search?q=a&k=0", 400, "k"),
        ("/api/v1/search?q=a&k=abc", 400, "expected a number"),
        ("/api/v1/search?q=a&q=b", 400, "twice"),
        ("/api/v1/search?q=a&other=1", 400, "other"),
        ("/api/v1/search?q=a&role=nonsense", 400, "nonsense"),
        ("/api/v1/show?name=nothing_of_that_name", 404, "nothing is called"),
        ("/api/v1/read?path=../../etc/passwd", 404, "no file of the index"),
        ("/api/v1/read?path=/etc/passwd", 404, "no file of the index"),
        ("/api/v1/read?path=rtl/uart_rx.sv&start=99999", 400, "lines"),
        ("/api/v1/neighbours?name=uart&relation=LIKES", 400, "known are"),
        ("/api/v1/nothing", 404, "no such page"),
    ],
)
def test_errors_are_objects_that_say_what_to_do(
    page: TestClient, address: str, status: int, words: str
) -> None:
    got = page.get(address)
    assert got.status_code == status
    assert got.json()["schema"] == 1
    assert words in got.json()["error"]


def test_a_body_has_to_be_the_json_asked_for(page: TestClient) -> None:
    assert page.post("/api/v1/search", content=b"{").status_code == 400
    form = page.post("/api/v1/feedback", data={"q": "uart", "path": "rtl/uart_rx.sv"})
    assert form.status_code == 400
    assert "application/json" in form.json()["error"]
    assert page.get("/api/v1/feedback").status_code == 405


def test_feedback_is_kept(page: TestClient) -> None:
    judged = {"q": "where are bits received", "path": "rtl/uart_rx.sv", "verdict": "right"}
    kept = page.post("/api/v1/feedback", json=judged).json()["kept"]
    assert kept["relevant"] == ["rtl/uart_rx.sv"]
    assert form_token(page)
    assert "where are bits received" in page.get("/feedback").text
