"""The tools for language models, called as the server calls them: objects, limits, failures."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from hdlgraph.eval.bench.mcp import tokens
from hdlgraph.serve.cli.main import run
from hdlgraph.serve.mcp.brief import brief
from hdlgraph.serve.mcp.calls import call
from hdlgraph.serve.mcp.outline import outline
from hdlgraph.serve.mcp.repositories import repositories_of
from hdlgraph.serve.mcp.tools import TOOLS
from hdlgraph.serve.warm.kept import Kept

FILE = "rtl/bus_arbiter.sv"


@pytest.fixture
def kept(indexed_soc: Path) -> dict[str, Kept]:
    return {"soc": Kept(indexed_soc)}


def found(kept: dict[str, Kept], tool: str, /, **given: object) -> dict:
    result = call(kept, tool, given)
    assert not result.failed, result.blocks
    assert result.found is not None
    json.dumps(result.found).encode()
    return result.found


def failed(kept: dict[str, Kept], tool: str, /, **given: object) -> str:
    result = call(kept, tool, given)
    assert result.failed
    assert result.found is None
    return result.blocks[0]


@pytest.mark.parametrize(
    ("command", "tool", "given"),
    [
        (["show", "soc_top"], "show", {"name": "soc_top"}),
        (["who", "sync_fifo"], "relations", {"kind": "who", "name": "sync_fifo"}),
        (["tree", "--depth", "2"], "relations", {"kind": "tree", "depth": 2}),
        (["path", "soc_top", "sync_fifo"], "relations", {"kind": "path", "name": "soc_top"}),
        (["impact", "sync_fifo"], "relations", {"kind": "impact", "name": "sync_fifo"}),
        (
            ["trace", "sync_fifo.wready_o"],
            "relations",
            {"kind": "trace", "name": "sync_fifo.wready_o"},
        ),
        (["fsm", "uart_rx"], "relations", {"kind": "fsm", "name": "uart_rx"}),
        (["registers"], "relations", {"kind": "registers"}),
        (["clocks", "soc_top"], "relations", {"kind": "clocks", "name": "soc_top"}),
        (["crossings", "soc_top"], "relations", {"kind": "crossings", "name": "soc_top"}),
        (["read", f"{FILE}:2-9"], "read_lines", {"path": FILE, "start": 2, "end": 9}),
        (["status"], "index_status", {}),
    ],
)
def test_the_shell_gives_the_same_objects(kept, indexed_soc, capsys, command, tool, given) -> None:
    if given.get("kind") == "path":
        given = {**given, "to": "sync_fifo"}
    assert run([*command, "--json", "--index", str(indexed_soc)]) == 0
    shell = json.loads(capsys.readouterr().out)
    shell.pop("notes", None)
    told = found(kept, tool, **given)
    told.pop("notes", None)  # for a model: what an empty answer means
    assert told == brief(shell, wide=given.get("kind") == "tree")


def test_cards_are_those_of_the_shell(kept, indexed_soc, capsys) -> None:
    question = ["search", "round", "robin", "--json", "--cards", "-k", "3"]
    assert run([*question, "--index", str(indexed_soc)]) == 0
    shell = json.loads(capsys.readouterr().out)
    cards = found(kept, "search_files", question="round robin", limit=3)
    assert cards["files"] == shell["files"]
    assert cards["confidence"] == shell["confidence"]
    assert shell["more_files"] == 14 - 3
    assert cards["truncated"] == "the best 3; for more raise `limit`"
    assert cards["stale"] is False
    best = cards["files"][0]
    assert best["path"] == FILE
    assert set(best) <= {"path", "role", "what", "lines", "copies"}
    text = (indexed_soc / FILE).read_text().splitlines()
    assert all(line in text[int(number) - 1] for number, line in best["lines"].items())
    page = (Path(__file__).parents[2] / "docs" / "json.md").read_text()
    for key in (*shell, *best):
        assert f"`{key}`" in page, key


def test_cards_need_json(indexed_soc, capsys) -> None:
    assert run(["search", "x", "--cards", "--index", str(indexed_soc)]) == 2
    assert "--cards: needs --json" in capsys.readouterr().err


def test_what_is_cut_is_told_with_how_to_get_it(kept) -> None:
    result = call(kept, "show", {"name": "soc_top", "limit": 1})
    assert "raise `limit`" in result.found["truncated"]
    assert result.blocks[0].endswith(f"truncated: {result.found['truncated']}")
    assert len(result.found["definitions"][0]["ports"]) == 1
    assert found(kept, "show", name="soc_top", limit=500)["truncated"] == ""


def test_a_long_list_is_bounded() -> None:
    many = [{"location": f"a.sv:{n}", "text": "x" * 900} for n in range(5_000)]
    cut = brief({"schema": 1, "users": many}, 500)
    assert len(json.dumps(cut)) < 70_000
    shown = len(cut["users"])
    assert f"{shown} of 5000 users" in cut["truncated"]


def test_a_changed_file_makes_a_trailing_block(kept, indexed_soc) -> None:
    (indexed_soc / FILE).write_text((indexed_soc / FILE).read_text() + "// round robin\n")
    (indexed_soc / "rtl" / "new.sv").write_text("module new_one; endmodule\n")
    for name, given in (
        ("search_files", {"question": "round robin"}),
        ("show", {"name": "soc_top"}),
        ("relations", {"kind": "tree"}),
        ("ask", {"question": "who drives the grant"}),
    ):
        result = call(kept, name, given)
        assert result.found["stale"] is True, name
        assert result.found["moved"]["changed"] == [FILE]
        assert result.found["moved"]["added"] == ["rtl/new.sv"]
        assert result.blocks[-1].startswith(f"stale: true\nadded: rtl/new.sv\nchanged: {FILE}\n")
    one = call(kept, "read_lines", {"path": FILE})
    assert one.blocks[-1].startswith(f"stale: true\nchanged: {FILE}")
    assert found(kept, "index_status")["stale"] is True


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "question: is needed"),
        ({"question": 3}, "must be a JSON string"),
        ({"question": "  "}, "is empty"),
        ({"question": "?!"}, "the question is empty"),
        ({"question": "x" * 1_000_000}, "has 1000000 characters, at most 8000"),
        ({"question": "a\ud800"}, "half a character"),
        ({"question": "x", "limit": 0}, "must be 1 to 50"),
        ({"question": "x", "limit": True}, "must be a JSON integer"),
        ({"question": "x", "roles": ["verilog"]}, "roles: must be one of rtl"),
        ({"question": "x", "\x1b[2Jk": 1}, "\\x1b[2Jk: no such argument; there are question"),
    ],
)
def test_a_wrong_argument_is_told_with_what_is_right(kept, given, told) -> None:
    message = failed(kept, "search_files", **given)
    assert told in message
    assert "\nnext: " in message
    assert "\x1b" not in message


def test_other_failures_say_what_to_do_next(kept, tmp_path) -> None:
    assert "there are search_files, ask" in failed(kept, "grep")
    assert "Call search_files" in failed(kept, "show", name="no_such_unit")
    assert "who: needs `name`" in failed(kept, "relations", kind="who")
    assert "path: needs `to`" in failed(kept, "relations", kind="path", name="soc_top")
    missing = failed({"none": Kept(tmp_path)}, "search_files", question="x")
    assert "create it with `hdlgraph index" in missing
    assert "the server need not restart" in missing


@pytest.mark.parametrize("path", ["../x.sv", "/etc/passwd", "rtl/../../x", "%2e%2e/x", ".hdlgraph"])
def test_no_path_leads_out(kept, path) -> None:
    assert "is no file of the index" in failed(kept, "read_lines", path=path)


def test_no_link_leads_out(kept, indexed_soc) -> None:
    secret = indexed_soc.parent / "secret.sv"
    secret.write_text("module secret_thing; endmodule // round robin\n")
    (indexed_soc / FILE).unlink()
    (indexed_soc / FILE).symlink_to(secret)
    assert "cannot be read" in failed(kept, "read_lines", path=FILE)
    for name, given in (("search_files", "round robin"), ("ask", "round robin")):
        assert "secret_thing" not in "\n".join(call(kept, name, {"question": given}).blocks)


def test_an_unexpected_failure_is_a_result(kept) -> None:
    class Broken(Kept):
        def run(self, work: object) -> None:
            raise RuntimeError("\x1b[2J boom")

    message = failed({"x": Broken()}, "search_files", question="x")
    assert message.startswith("unexpected RuntimeError: \\x1b[2J boom")


def test_several_repositories_are_chosen_by_name(soc_words: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(soc_words, tmp_path / "other"))
    kept = repositories_of([f"one={soc_words}"], [other])
    assert list(kept) == ["one", "other"]
    schema = TOOLS[0].schema(list(kept))
    assert schema["properties"]["repository"]["enum"] == ["one", "other"]
    assert "repository: is needed, one of one, other" in failed(kept, "show", name="soc_top")
    assert "must be one of" in failed(kept, "show", name="soc_top", repository="two")
    shown = found(kept, "index_status", repository="other")
    assert shown["root"] == str(other)


def test_names_of_repositories_are_checked(tmp_path: Path) -> None:
    from hdlgraph.errors import UsageError

    twice = repositories_of([], [tmp_path / "a" / ".hdlgraph", tmp_path / "b" / "a"])
    assert list(twice) == ["a", "a-2"]
    for bad in (["x"], ["=y"], ["a b=c"], ["a=b", "a=c"]):
        with pytest.raises(UsageError):
            repositories_of(bad, [])


def test_descriptions_are_short() -> None:
    assert len(TOOLS) == 7
    for tool in TOOLS:
        assert len(tool.description) < 250, tool.name
        json.dumps(tool.schema())
    assert sum(tokens(json.dumps(t.schema()) + t.description) for t in TOOLS) < 1_100


def test_an_answer_is_short_unless_the_whole_is_wanted(kept, monkeypatch) -> None:
    from hdlgraph.query.result import short_answer

    question = "how does the arbiter grant a request"
    whole = found(kept, "ask", question=question, whole=True)
    assert whole["citations"]
    assert whole["truncated"] == ""
    monkeypatch.setattr(short_answer, "CHARACTERS", 400)
    short = found(kept, "ask", question=question)
    assert len(short["answer"]) <= 400 < len(whole["answer"])
    assert "citations" not in short  # its places stand in it
    assert "`whole: true` gives all" in short["truncated"]
    assert set(short["answer"].splitlines()) <= {*whole["answer"].splitlines(), "  ..."}


def test_the_tops_are_listed_first_and_parts_of_lists_are_cut_before_them(kept) -> None:
    from hdlgraph.serve.mcp.brief import brief

    tops = found(kept, "relations", kind="tree")["tops"]
    assert {"soc_tb"} <= {top["name"] for top in tops}
    assert all(isinstance(top["children"], int) for top in tops)
    assert found(kept, "relations", kind="tree", depth=1)["tops"][0].get("children") != 0
    large = {"groups": [{"name": f"g{n}", "names": ["x" * 300] * 20} for n in range(8)]}
    large["groups"] = [{**one, "parts": ["y" * 300] * 20} for one in large["groups"]]
    assert len(brief(large, 8, wide=True)["groups"]) == 8
    assert len(brief(large, 8)["groups"]) < 8


def test_a_place_is_told_once(kept) -> None:
    shown = call(kept, "show", {"name": "uart_rx"}).blocks[0]
    assert shown.count("rtl/uart_rx.sv:") == 1
    assert "  - :" in shown
    who = call(kept, "relations", {"kind": "who", "name": "uart_rx"}).blocks[0]
    assert "INSTANTIATES" not in who
    assert "instantiates" in who


def test_a_wrong_argument_is_answered_with_all_that_there_are(kept) -> None:
    assert "Call search_files again with `question` (needed), `limit`" in failed(
        kept, "search_files", query="x"
    )
    assert "no arguments" in failed(kept, "index_status", x=1)


def test_what_goes_without_saying_is_left_out() -> None:
    step = {"location": "a.sv:3", "control": False, "sure": True, "clock": ("", ""), "reset": True}
    edge = {"location": "a.sv:4", "instance": "instance:a.sv#a.u_b", "instance_name": "a.u_b"}
    found = brief({"steps": [{**step, "end_line": 0}, {**edge, "sure": False, "unless": [3, 9]}]})
    assert found["steps"] == [
        {"location": "a.sv:3", "reset": True},
        {"location": "a.sv:4", "instance_name": "a.u_b", "sure": False, "unless": [3, 9]},
    ]
    assert outline(found).splitlines() == [
        "steps (2):", "- a.sv:3 reset=True", "- a.sv:4 instance_name=a.u_b sure=False unless=3,9"
    ]  # fmt: skip
