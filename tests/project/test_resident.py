"""A project that a server keeps open: threads, new generations, results that are kept."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from hdlgraph.errors import UsageError
from hdlgraph.project import Project
from hdlgraph.project.resident import Resident
from hdlgraph.serve.web.kept import Shared

QUESTIONS = ("uart receiver", "timer reset", "bus arbiter", "fifo depth", "clock and reset")


def plain(found: object) -> object:
    return msgspec.structs.replace(found, seconds=0.0)  # type: ignore[type-var]


def test_many_threads_get_what_one_gets(soc_words: Path) -> None:
    alone = {q: plain(Project(soc_words).search(q, k=3)) for q in QUESTIONS}
    resident = Resident(soc_words)
    resident.warm()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda q: (q, plain(resident.search(q, k=3))), QUESTIONS * 6))
    assert all(alone[q] == one for q, one in found)


def test_an_equal_search_is_kept_and_another_is_not(soc_words: Path) -> None:
    resident = Resident(soc_words)
    first = resident.search("uart receiver", k=3)
    again = resident.search("uart receiver", k=3)
    assert again.hits is first.hits
    assert resident.search("uart receiver", k=2).hits != first.hits
    only = resident.search("uart receiver", k=3, roles=["testbench"])
    assert {hit.role for hit in only.hits} == {"testbench"}
    with pytest.raises(UsageError):
        resident.search("uart", k=0)


def test_what_is_kept_ends_with_what_moves(indexed_soc: Path) -> None:
    resident = Resident(indexed_soc)
    assert not resident.search("uart receiver").stale.any
    (indexed_soc / "rtl" / "uart_rx.sv").unlink()
    time.sleep(1.1)
    found = resident.search("uart receiver")
    assert found.stale.removed == ("rtl/uart_rx.sv",)
    assert "rtl/uart_rx.sv" not in {hit.path for hit in found.hits}


def test_a_new_generation_takes_the_place_of_the_present_one(indexed_soc: Path) -> None:
    resident = Resident(indexed_soc)
    resident.warm()
    before = resident.manifest().generation
    (indexed_soc / "rtl" / "brand_new.sv").write_text("module brand_new; endmodule\n")
    Project(indexed_soc).index(embeddings=False, graphrag="never", jobs=1)
    end = time.monotonic() + 8
    while resident.manifest().generation == before and time.monotonic() < end:
        assert resident.search("uart").hits  # no moment without an index
        time.sleep(0.05)
    assert resident.manifest().generation == before + 1
    assert resident.show("brand_new")["total"] == 1
    assert "rtl/brand_new.sv" in resident.explanations()


def test_a_damaged_new_generation_is_not_taken(indexed_soc: Path) -> None:
    resident = Resident(indexed_soc)
    resident.warm()
    manifest = indexed_soc / ".hdlgraph" / "manifest.json"
    manifest.write_bytes(b"{}")
    end = time.monotonic() + 2.5
    while time.monotonic() < end:
        assert resident.search("uart").hits
        time.sleep(0.2)


def test_a_new_generation_is_taken_at_once_where_that_is_asked(indexed_soc: Path) -> None:
    resident = Resident(indexed_soc)
    before = resident.generation()
    (indexed_soc / "rtl" / "brand_new.sv").write_text("module brand_new; endmodule\n")
    Project(indexed_soc).index(embeddings=False, graphrag="never", jobs=1)
    resident.refresh()
    assert resident.generation() == before + 1
    assert resident.show("brand_new")["total"] == 1
    (indexed_soc / "rtl" / "brand_new.sv").unlink()
    resident.refresh()
    assert resident.moved().removed == ("rtl/brand_new.sv",)


def test_commands_beside_a_page_see_what_is_there_now(indexed_soc: Path) -> None:
    shared = Shared(Resident(indexed_soc))
    assert len(shared.run(lambda project: project.search("uart")).hits) > 1
    (indexed_soc / "rtl" / "brand_new.sv").write_text("module brand_new; endmodule\n")
    Project(indexed_soc).index(embeddings=False, graphrag="never", jobs=1)
    assert shared.run(lambda project: project.show("brand_new"))["total"] == 1
    (indexed_soc / "settings.yaml").write_text("hdlgraph:\n  search:\n    k: 1\n")
    assert len(shared.run(lambda project: project.search("uart")).hits) == 1


def test_a_new_generation_is_loaded_before_it_is_the_present_one(indexed_soc: Path) -> None:
    resident = Resident(indexed_soc)
    resident.warm()
    before = resident.generation()
    (indexed_soc / "rtl" / "brand_new.sv").write_text("module brand_new; endmodule\n")
    Project(indexed_soc).index(embeddings=False, graphrag="never", jobs=1)
    resident.refresh()
    folder = resident._generation().folder
    folder.rename(folder.with_name("away"))  # from here on nothing can be loaded
    assert resident.generation() == before + 1
    assert resident.search("a brand new module").hits
    assert resident.ask("what is brand_new?", writer="extractive").result.hits
    assert resident.show("brand_new")["total"] == 1
    assert resident.level("soc_top")["entries"]
    assert "rtl/brand_new.sv" in resident.explanations()
