"""What servers are sent, and what lies in a user's folder, that no honest program writes."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

import msgspec
import pytest
from mcp.shared.exceptions import MCPError

from hdlgraph.errors import UsageError
from hdlgraph.serve.mcp.calls import call
from hdlgraph.serve.mcp.server import _asked
from hdlgraph.serve.warm.kept import Kept
from hdlgraph.store.checksums import checksums_of
from hdlgraph.store.manifest import read_manifest, write_manifest
from hdlgraph.store.user.feedback import Feedback
from hdlgraph.store.user.threads import Threads

RIGHT = {"id": "fb-1", "question": "q", "relevant": ["a.sv"], "verdict": "up", "at": 5}


@pytest.mark.parametrize(
    "uri",
    [
        *("hdlgraph://[unit/x", "hdlgraph://unit]/x", "hdlgraph://user@unit/x", "", "unit"),
        *("HTTP://unit/x", "hdlgraph://unit:99999999/x", "hdlgraph:unit/x", "\0", "//unit/x"),
    ],
)
def test_addresses_of_resources_that_are_none(uri: str) -> None:
    with pytest.raises(MCPError, match="there is hdlgraph://unit/NAME"):
        _asked(uri)


@pytest.mark.parametrize(
    "line",
    [
        "[" * 100_000,
        "null",
        '{"question": 5}',
        '{"question": "q", "at": "never"}',
        '{"question": "q", "at": [1]}',
        '{"question": "q", "at": 1e999}',
        '{"question": "q", "relevant": "a.sv"}',
        '{"question": "q", "relevant": [{"a": 1}], "verdict": "up"}',
        '{"question": "q", "refused": 7}',
        '{"question": "q", "verdict": ["up"]}',
        "\ud800",
    ],
    ids=lambda line: ascii(line[:40]),
)
def test_judgements_that_are_none_are_left_out(tmp_path: Path, line: str) -> None:
    kept = Feedback(tmp_path)
    text = f"{line}\n{json.dumps(RIGHT)}\n"
    kept.path.write_bytes(text.encode("utf-8", "surrogatepass"))
    assert kept.listed() == [RIGHT]


def test_a_pipe_in_the_place_of_judgements_is_not_waited_for(tmp_path: Path) -> None:
    kept = Feedback(tmp_path)
    os.mkfifo(kept.path)
    assert kept.listed() == []
    with pytest.raises(UsageError, match=r"feedback\.jsonl"):
        kept.add("q", "a.sv", "up")


@pytest.mark.parametrize("answer", [b"", b"{}", b"[[[", b'{"question": 1}', 5, None, "text"])
def test_turns_that_are_none_are_told(tmp_path: Path, answer: object) -> None:
    kept = Threads(tmp_path)
    name = kept.begin("a question")
    with sqlite3.connect(kept.path) as base:
        base.execute("insert into turns values (?, 1, 'q', 'q', ?, 0.0)", (name, answer))
    with pytest.raises(UsageError, match=r"threads\.sqlite: cannot be used .*begin anew"):
        kept.turns(name)


def test_a_base_with_other_tables_is_told(tmp_path: Path) -> None:
    kept = Threads(tmp_path)
    with sqlite3.connect(kept.path) as base:
        base.executescript("create table threads (id, title, begun, used); create table turns (x);")
        base.execute("insert into threads values ('a', x'00ff', 'b', null)")
    for work in (kept.listed, lambda: kept.turns("a")):
        with pytest.raises(UsageError, match=r"threads\.sqlite: cannot be used"):
            work()


@pytest.mark.parametrize("row", [None, {}, 5, [], [None, "rtl", 3, 0], ["a.sv", "rtl", "3", 0, 1]])
def test_rows_of_an_index_that_are_no_files_are_damage(indexed_soc: Path, row: object) -> None:
    folder = indexed_soc / ".hdlgraph"
    file = folder / "gen-1" / "lexical" / "paths.json"
    file.write_text(json.dumps([row, *json.loads(file.read_text())[1:]]))
    sums = checksums_of(folder / "gen-1")
    write_manifest(folder, msgspec.structs.replace(read_manifest(folder), checksums=sums))
    kept = {"soc": Kept(indexed_soc)}
    for tool, given in (("search_files", {"question": "uart"}), ("ask", {"question": "uart"})):
        result = call(kept, tool, given)
        assert result.failed
        assert "--fresh" in result.blocks[0]
