"""Several repositories at each door: the command line, MCP, REST and the page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _web import HOST
from _workspaces import build
from starlette.testclient import TestClient

from hdlgraph.project.resident import Resident
from hdlgraph.project.resident.several import resident_workspace
from hdlgraph.serve.cli.main import run
from hdlgraph.serve.http.address import LOOPBACK, Address
from hdlgraph.serve.http.guard import Guard
from hdlgraph.serve.mcp.calls import call, schema_of
from hdlgraph.serve.mcp.several import KeptWorkspace
from hdlgraph.serve.mcp.tools import TOOLS
from hdlgraph.serve.web.app import application
from hdlgraph.serve.web.site import Site


@pytest.fixture(scope="module")
def chips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workspace file of the board and its cells; read only."""
    return build(tmp_path_factory.mktemp("chips"))


@pytest.fixture(scope="module")
def kept(chips: Path) -> KeptWorkspace:
    """The repositories of a server of the Model Context Protocol."""
    return KeptWorkspace(chips)


@pytest.fixture
def client(chips: Path) -> Iterator[TestClient]:
    """A client of a server that has the board's page and the workspace."""
    address = Address("127.0.0.1", 8650, frozenset(LOOPBACK), "")
    site = Site(Resident(chips.parent / "board"), address, resident_workspace(chips))
    app = Guard(application(site), address, site.sessions.admits)
    with TestClient(app, base_url=HOST, follow_redirects=False) as found:  # type: ignore[arg-type]
        yield found
    site.close()


def told(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> tuple[str, str]:
    assert run(list(arguments)) == code
    found = capsys.readouterr()
    return found.out, found.err


def test_search_prints_places_with_their_repository(
    chips: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = told(capsys, "search", "asynchronous level", "--workspace", str(chips))
    assert out.splitlines()[2].startswith(" 1  cells:src/pulse_sync.v:")
    assert "repositories: cells " in err
    found = json.loads(
        told(capsys, "search", "asynchronous level", "--workspace", str(chips), "--json")[0]
    )
    assert found["schema"] == 1
    assert found["hits"][0]["repository"] == "cells"
    assert [one["name"] for one in found["repositories"]] == ["board", "cells"]
    cards = told(capsys, "search", "level", "--workspace", str(chips), "--json", "--cards")[0]
    assert json.loads(cards)["files"][0]["path"].partition(":")[0] in ("board", "cells")


def test_who_show_ask_and_workspace(chips: Path, capsys: pytest.CaptureFixture[str]) -> None:
    option = ("--workspace", str(chips))
    out, _ = told(capsys, "who", "pulse_sync", *option)
    assert "board:rtl/board_top.v:4" in out
    assert "cells:src/pulse_sync.v:2" in out.partition("defined in another repository")[2]
    out, err = told(capsys, "show", "hold_cell", *option)
    assert "another version" in out
    assert "name those of one repository as board:hold_cell" in err
    out, err = told(capsys, "ask", "what does pulse_sync do?", *option)
    assert "[cells:src/pulse_sync.v:" in out
    assert "answered from cells" in err
    out, _ = told(capsys, "workspace", str(chips))
    assert "board uses of cells: 2 names" in out
    assert "units in both board and cells: 2 names" in out
    found = json.loads(told(capsys, "workspace", str(chips), "--limit", "1", "--json")[0])
    assert [len(one["names"]) for one in found["uses"]] == [1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["search", "x", "--index", "board"], "--workspace and --index exclude each other"),
        (["search", "x", "--format", "vimgrep"], "names files of one repository"),
        (["show", "x", "--config", "wide"], "--config: is of one repository"),
        (["who", "x"], "nothing is called 'x' in board, cells"),
    ],
)
def test_wrong_use_is_told(
    chips: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    _, err = told(capsys, *arguments, "--workspace", str(chips), code=2)
    assert message in err
    assert len(err.splitlines()) == 1


def test_a_missing_repository_is_a_failure_of_the_command_workspace(
    chips: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "some.yaml"
    file.write_text(f"repositories: {{gone: nowhere, board: {chips.parent}/board}}\n")
    out, err = told(capsys, "workspace", str(file), code=1)
    assert "there is none; create it with" in out
    assert "gone was not asked" in err
    out, err = told(capsys, "search", "button", "--workspace", str(file))
    assert " 1  board:" in out
    assert "gone was not asked" in err


def test_a_warm_process_is_not_asked(chips: Path) -> None:
    from hdlgraph.serve.warm.client import run_warm

    assert run_warm(["search", "level", "--workspace", str(chips)]) is None
    assert run_warm(["search", "level", f"--workspace={chips}"]) is None


def test_tools_ask_all_repositories_unless_one_is_named(kept: KeptWorkspace) -> None:
    found = call(kept, "search_files", {"question": "asynchronous level", "limit": 2})
    assert found.found is not None
    assert found.found["files"][0]["path"] == "cells:src/pulse_sync.v"
    found = call(kept, "relations", {"kind": "who", "name": "pulse_sync"})
    assert "board:rtl/board_top.v:4" in found.blocks[0]
    found = call(kept, "show", {"name": "pulse_sync"})
    assert "cells:src/pulse_sync.v:2" in found.blocks[0]
    found = call(kept, "ask", {"question": "what does pulse_sync do?"})
    assert "[cells:src/pulse_sync.v:" in found.blocks[0]
    found = call(kept, "read_lines", {"path": "cells:src/pulse_sync.v", "start": 2, "end": 2})
    assert "module pulse_sync" in found.blocks[0]
    found = call(kept, "search_files", {"question": "level", "repository": "board"})
    assert found.found is not None
    assert all(":" not in one["path"] for one in found.found["files"])


def test_tools_of_one_repository_say_so(kept: KeptWorkspace) -> None:
    found = call(kept, "overview", {})
    assert found.failed
    assert "repository: is needed, one of board, cells" in found.blocks[0]
    found = call(kept, "relations", {"kind": "tree", "name": "board_top"})
    assert found.failed
    assert "name it in `repository`" in found.blocks[0]
    found = call(kept, "relations", {"kind": "tree", "name": "board_top", "repository": "board"})
    assert not found.failed
    needed = {tool.name: "repository" in schema_of(tool, kept)["required"] for tool in TOOLS}
    assert {name for name, is_needed in needed.items() if is_needed} == {"overview", "index_status"}


CALLS: dict[str, dict[str, Any]] = {
    "search": {"q": "asynchronous level"},
    "ask": {"q": "what does pulse_sync do?"},
    "show": {"name": "pulse_sync"},
    "who": {"name": "pulse_sync"},
    "links": {},
}


@pytest.mark.parametrize("name", CALLS)
def test_rest_gives_the_objects_of_the_command_line(
    client: TestClient, chips: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    got = client.get(f"/api/v1/workspace/{name}", params=CALLS[name])
    assert got.status_code == 200
    words = [str(value) for value in CALLS[name].values()]
    command = (
        ["workspace", str(chips)] if name == "links" else [name, *words, "--workspace", str(chips)]
    )
    own = json.loads(told(capsys, *command, "--json")[0])
    assert {**got.json(), "seconds": 0} == {**own, "seconds": 0}


def test_the_page_lists_hits_of_all_repositories(client: TestClient) -> None:
    empty = client.get("/workspace").text
    assert "cells of the house" in empty
    shown = client.get("/workspace", params={"q": "edge_cell"}).text
    assert "the same file:" in shown
    assert "cells" in shown
    assert "board" in shown
    assert 'href="/workspace' in client.get("/help").text


def test_a_server_without_a_workspace_says_so(page: TestClient) -> None:
    got = page.get("/api/v1/workspace/search", params={"q": "uart"})
    assert got.status_code == 404
    assert "serve --workspace FILE" in got.json()["error"]
    assert 'href="/workspace' not in page.get("/help").text
