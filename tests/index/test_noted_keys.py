"""Keys of facts after an edit are those that a run without notes finds, whatever was edited."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from hdlgraph.index.discover.files import discover
from hdlgraph.index.parse import noted_keys
from hdlgraph.index.parse.cache import FactKeys
from hdlgraph.index.parse.noted_keys import fact_keys
from hdlgraph.store.cache import Cache

FILES = {
    "inc/defs.svh": '`include "deep.svh"\n`define W 8\n`define KEEP(name) keeper name``_r (.c);\n',
    "inc/deep.svh": "`define DEEP wire deep;\n",
    "a.sv": 'module a (input clk);\n`include "defs.svh"\n`DEEP\nendmodule\n',
    "b.sv": "module b (input clk);\n  `KEEP(x)\nendmodule\n",
    "c.sv": "module c (input clk);\nendmodule\n",
    "d/c2.sv": '`include "../c.sv"\nmodule c2;\n  `DEEP\nendmodule\n',
    "e.sv": "module e;\n  `OTHER\nendmodule\n",
    "note.sv": "// no units here\n",
}
LINES = (
    "// a comment",
    "wire w;",
    "`KEEP(y)",
    "`DEEP",
    "`OTHER",
    "`ifdef KEEP\n`endif",
    '`include "deep.svh"',
    '`include "defs.svh"',
    '`include "c.sv"',
    '`include "none.svh"',
    "`define OTHER wire o;",
    "`define DEEP wire deep;",
    "`define KEEP(name) other name``_r (.clk);",
    "`undef DEEP",
    "module more; endmodule",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Cache]:
    cache = Cache(tmp_path / "cache.sqlite")
    yield cache
    cache.close()


def keys_of(root: Path, cache: Cache, how: str = "how", incdirs: tuple[str, ...] = ()) -> FactKeys:
    return fact_keys(root, discover(root).files, cache, how, incdirs)


def told(keys: FactKeys) -> dict[str, object]:
    return {path: (keys.key(path), keys.whole(path), keys.lend(path)) for path in keys.sources}


def anew(root: Path, tmp_path: Path, **how: object) -> dict[str, object]:
    place = tmp_path / "other.sqlite"
    place.unlink(missing_ok=True)
    cache = Cache(place)
    try:
        return told(keys_of(root, cache, **how))
    finally:
        cache.close()


def edit(root: Path, chosen: random.Random) -> None:
    """Adds or takes out a line, or rarely a file."""
    files = sorted(path for path in root.rglob("*") if path.is_file())
    path, kind = chosen.choice(files), chosen.random()
    lines = path.read_text().splitlines()
    if kind < 0.6:
        lines.insert(chosen.randrange(len(lines) + 1), chosen.choice(LINES))
    elif kind < 0.9 and lines:
        del lines[chosen.randrange(len(lines))]
    elif kind < 0.95 and len(files) > 4:
        path.unlink()
        return
    else:
        path = path.with_name(f"n{chosen.randrange(9)}{path.suffix}")
    path.write_text("".join(f"{line}\n" for line in lines))


@pytest.mark.parametrize("seed", range(6))
def test_keys_after_edits_are_those_of_a_first_run(root, store, tmp_path, monkeypatch, seed):
    monkeypatch.setattr(noted_keys, "BLOCK", 3)
    chosen, taken = random.Random(seed), 0
    after = noted_keys._Finder._after

    def counted(*given):
        nonlocal taken
        found = after(*given)
        taken += found is not None
        return found

    monkeypatch.setattr(noted_keys._Finder, "_after", counted)
    keys_of(root, store)
    for _ in range(25):
        for _ in range(chosen.choice((1, 1, 2))):
            edit(root, chosen)
        assert told(keys_of(root, store)) == anew(root, tmp_path)
    assert taken > 5


def test_keys_of_files_that_nothing_touches_are_taken_over(root, store, monkeypatch):
    keys_of(root, store)
    made, key = [], FactKeys._key
    monkeypatch.setattr(FactKeys, "_key", lambda keys, path: made.append(path) or key(keys, path))
    (root / "c.sv").write_text("// more\n" + FILES["c.sv"])
    keys_of(root, store)
    assert made == ["c.sv", "d/c2.sv"]
    made.clear()
    (root / "inc/deep.svh").write_text("// more\n" + FILES["inc/deep.svh"])
    keys_of(root, store)
    assert made == ["a.sv", "inc/deep.svh", "inc/defs.svh"]
    made.clear()
    (root / "inc/deep.svh").write_text("`define DEEP wire other;\n")
    keys_of(root, store)
    assert made == sorted(FILES)


def test_another_way_of_reading_counts(root, store, tmp_path):
    assert told(keys_of(root, store)) != told(keys_of(root, store, "other"))
    (root / "d/defs.svh").write_text("wire d;\n")
    for incdirs in ((), ("d",), ("inc",)):
        assert told(keys_of(root, store, incdirs=incdirs)) == anew(root, tmp_path, incdirs=incdirs)


def test_what_a_fresh_search_would_read_stays_in_the_cache(root, store):
    keys_of(root, store)
    store.used.clear()
    (root / "c.sv").write_text("// more\n")
    keys = keys_of(root, store)
    hashes = {one.sha256 for one in keys.sources.values()}
    assert all(one in store.used["includes"] for one in hashes)
    assert all(f"{one} how" in store.used["macros"] for one in hashes)


def change(store: Cache, **fields: object) -> None:
    """Changes the one block of a note, and the sum of it."""
    found = store.get_many("keys", ["0", "head"])
    head = msgspec.msgpack.decode(found["head"], type=noted_keys._Head)
    block = msgspec.msgpack.decode(found["0"], type=noted_keys._Block)
    data = msgspec.msgpack.encode(msgspec.structs.replace(block, **fields))
    head = msgspec.structs.replace(head, blocks=[noted_keys._sum(data)])
    store.put_many("keys", {"0": data, "head": msgspec.msgpack.encode(head)})


@pytest.mark.parametrize(
    "fields",
    [
        {"includes": {"a.sv": (("defs.svh",), ("none.svh",))}},
        {"includes": {"none.sv": (("defs.svh",), ("c.sv",))}},
        {"keys": ["same"] * len(FILES)},
        {"keys": []},
        {"states": []},
        {"states": [f"{name}\0\0" for name in "abcdefgh"]},
        {"states": list("abcdefgh")},
        {"scans": 7},
    ],
)
def test_a_strange_note_costs_time_alone(root, store, tmp_path, fields):
    keys_of(root, store)
    change(store, **fields)
    (root / "c.sv").write_text("// more\n")
    assert told(keys_of(root, store)) == anew(root, tmp_path)


@pytest.mark.parametrize("name", ["head", "0"])
@pytest.mark.parametrize(
    "data", [b"", b"\xc1", b"\xff" * 9, msgspec.msgpack.encode(["how", [], []])]
)
def test_a_damaged_note_costs_time_alone(root, store, tmp_path, name, data):
    keys_of(root, store)
    store.put_many("keys", {name: data})
    assert told(keys_of(root, store)) == anew(root, tmp_path)
