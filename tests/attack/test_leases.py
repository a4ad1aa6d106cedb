"""Reading while the index is rebuilt: a reader keeps its generation, or takes the new one."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from campaigns import readers

from hdlgraph.project import Project
from hdlgraph.store.folder import Store

pytestmark = pytest.mark.warm


def rebuild(root: Path) -> None:
    Project(root).index(embeddings=False, graphrag="never", fresh=True, jobs=1)


def test_a_reader_keeps_its_generation_to_the_end(indexed_soc: Path) -> None:
    reader = Project(indexed_soc)
    searcher = reader.searcher()  # has loaded nothing but the words yet
    rebuild(indexed_soc)
    rebuild(indexed_soc)
    assert searcher.index.folder.is_dir()
    assert searcher.search("which timer counts down?").hits
    assert searcher.graph is not None
    gc.disable()  # a project holds nothing once it is gone: no cycle keeps its lease
    try:
        del searcher, reader
        rebuild(indexed_soc)
    finally:
        gc.enable()
    assert len(list((indexed_soc / ".hdlgraph").glob("gen-*"))) == 1


def test_a_project_takes_the_new_generation(indexed_soc: Path) -> None:
    reader = Project(indexed_soc)
    first = reader.searcher().index.folder
    (indexed_soc / "rtl" / "extra.sv").write_text(
        "// squares the input\nmodule squarer; endmodule\n"
    )
    rebuild(indexed_soc)
    assert reader.search("squarer").hits[0].path == "rtl/extra.sv"
    assert reader.searcher().index.folder != first


def test_a_held_generation_is_named_and_let_go(indexed_soc: Path) -> None:
    held = Store(indexed_soc / ".hdlgraph").hold()
    rebuild(indexed_soc)
    assert held.folder.is_dir()
    held.close()
    rebuild(indexed_soc)
    assert not held.folder.exists()


@pytest.mark.kill
def test_readers_of_the_campaign(tmp_path: Path) -> None:
    for outcome in readers.run(40, tmp_path, seed=2):
        assert outcome.failures == ()
        assert outcome.tried


def test_a_graph_is_never_that_of_an_earlier_generation(indexed_soc: Path) -> None:
    """The system gives the number of a file that is gone to another one, such as a new lease."""
    reader = Project(indexed_soc)
    for number in range(3):
        reader.graph()
        (indexed_soc / "rtl" / f"extra{number}.sv").write_text(f"module extra{number}; endmodule\n")
        Project(indexed_soc).index(embeddings=False, graphrag="never", jobs=1)
        (indexed_soc / "rtl" / "timer.v").open("a").write("\n")
        Project(indexed_soc).index(embeddings=False, graphrag="never", jobs=1)
        assert reader.show(f"extra{number}")["total"] == 1
