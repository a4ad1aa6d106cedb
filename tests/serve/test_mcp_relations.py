"""Exact answers over MCP: what is cut is said, nothing found is said, a next step fits."""

from __future__ import annotations

from pathlib import Path

import pytest

from hdlgraph.project import Project
from hdlgraph.project.reading import LINES
from hdlgraph.serve.mcp.brief import brief
from hdlgraph.serve.mcp.calls import call as called
from hdlgraph.serve.mcp.outline import outline
from hdlgraph.serve.mcp.relations import listed, relations
from hdlgraph.serve.warm.kept import Kept

MANY = 30


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    (folder / "leaf.sv").write_text("module leaf(input d); endmodule\n")
    for number in range(MANY):
        (folder / f"top{number:02}.sv").write_text(f"module top{number}; leaf u(.d()); endmodule\n")
    (folder / "two.sv").write_text("module two(input d); leaf u(.d(d)); endmodule\n" + "//\n" * 900)
    project = Project(folder)
    project.index(graphrag="never", embeddings=False, jobs=1)
    return folder


def text(root: Path, kind: str, **given: object) -> str:
    result = called({"x": Kept(root)}, "relations", {"kind": kind, **given})
    return "\n".join(result.blocks)


def test_what_impact_leaves_out_is_told(root: Path) -> None:
    assert f"truncated: 4 of {MANY + 1} users; raise `limit`" in text(
        root, "impact", name="leaf", limit=4
    )
    assert "truncated" not in text(root, "impact", name="leaf", limit=40)


def test_entries_that_an_answer_never_had_are_told() -> None:
    cut = brief({"crossings": [{"a": 1}] * 3}, 3, totals={"crossings": 12})
    assert cut["truncated"].startswith("3 of 12 crossings; raise `limit`")


@pytest.mark.parametrize(
    ("kind", "name", "told"),
    [
        ("fsm", "leaf", "no state machine was found in it"),
        ("who", "two", "the index knows no use of it"),
        ("impact", "two", "nothing of the index depends on it"),
        ("reach", "0xfffffff0", "no address map that is known"),
        ("clocks", "two", "no register below it has a known clock"),
    ],
)
def test_nothing_is_told_in_a_sentence(root: Path, kind: str, name: str, told: str) -> None:
    assert told in text(root, kind, name=name)


@pytest.mark.parametrize(
    ("tool", "given", "told"),
    [
        ("relations", {"kind": "trace", "name": "d"}, "next: Call relations again with one of"),
        ("show", {"name": "leaf", "config": "bogus"}, "next: Call show again without `config`"),
        ("show", {"name": "leaf", "config": "bogus"}, "the user can make it with"),
        ("read_lines", {"path": "leaf.sv", "start": 9, "end": 3}, "again with lines that the file"),
        ("read_lines", {"path": "laef.sv"}, "did you mean leaf.sv"),
        ("show", {"name": "qqqqqqqq"}, "search_files finds files"),
    ],
)
def test_the_next_step_fits(root: Path, tool: str, given: dict, told: str) -> None:
    result = called({"x": Kept(root)}, tool, given)
    assert result.failed
    assert told in result.blocks[0]


def test_no_more_lines_than_the_tool_says_are_read(root: Path) -> None:
    given = {"path": "two.sv", "start": 1, "end": 900}
    found = called({"x": Kept(root)}, "read_lines", given).found
    assert len(found["lines"]) == LINES
    assert found["truncated"] == f"read on from line {LINES + 1}"


def test_addresses_are_hexadecimal() -> None:
    told = outline({"address": 4294967280, "answers": [{"location": "a:1", "base": 4096}]})
    assert told.splitlines() == ["address: 0xfffffff0", "answers (1):", "- a:1 base=0x1000"]


def test_many_registers_are_listed_without_their_fields() -> None:
    fields = [{"name": "f"}] * 3
    registers = [{"name": f"R{n}", "offset": 4 * n, "fields": fields} for n in range(12)]
    found = listed({"blocks": [{"name": "uart", "registers": registers}], "notes": []})
    assert found["blocks"][0]["registers"][1] == {"name": "R1", "offset": 4, "n_fields": 3}
    assert "BLOCK.REGISTER" in found["notes"][0]
    one = {"blocks": [{"name": "uart", "registers": registers[:1]}], "notes": []}
    assert listed(one) == one


def test_crossings_say_what_their_counts_are() -> None:
    class Two:
        def crossings(self, name: str, limit: int) -> dict:
            pairs = [{"source": "a", "target": "b", "handshake": 1, "total": 5}]
            return {
                "pairs": pairs,
                "total": 2,
                "crossings": [{"kind": "handshake"}] * 1,
                "notes": [],
            }

    found = relations(Two(), {"kind": "crossings", "name": "x", "limit": 1})  # type: ignore[arg-type]
    assert "5 crossings are counted by pair, 2 listed" in found["notes"][0]
    assert "a synchronised signal decides" in found["notes"][0]
    assert found["truncated"].startswith("1 of 2 crossings")
