"""Reading while the index is rebuilt: a reader keeps its generation, or takes the new one."""

from __future__ import annotations

import gc
from pathlib import Path

from campaigns import readers

from hdlgraph.project import Project
from hdlgraph.store.folder import Store


def rebuild(root: Path) -> None:
    Project(root).index(embeddings=False, graphrag="never", fresh=True)


def test_a_reader_keeps_its_generation_to_the_end(soc: Path) -> None:
    rebuild(soc)
    reader = Project(soc)
    searcher = reader.searcher()  # has loaded nothing but the words yet
    rebuild(soc)
    rebuild(soc)
    assert searcher.index.folder.is_dir()
    assert searcher.search("which timer counts down?").hits
    assert searcher.graph is not None
    gc.disable()  # a project holds nothing once it is gone: no cycle keeps its lease
    try:
        del searcher, reader
        rebuild(soc)
    finally:
        gc.enable()
    assert len(list((soc / ".hdlgraph").glob("gen-*"))) == 1


def test_a_project_takes_the_new_generation(soc: Path) -> None:
    rebuild(soc)
    reader = Project(soc)
    first = reader.searcher().index.folder
    (soc / "rtl" / "extra.sv").write_text("// squares the input\nmodule squarer; endmodule\n")
    rebuild(soc)
    assert reader.search("squarer").hits[0].path == "rtl/extra.sv"
    assert reader.searcher().index.folder != first


def test_a_held_generation_is_named_and_let_go(soc: Path) -> None:
    rebuild(soc)
    held = Store(soc / ".hdlgraph").hold()
    rebuild(soc)
    assert held.folder.is_dir()
    held.close()
    rebuild(soc)
    assert not held.folder.exists()


def test_readers_of_the_campaign(tmp_path: Path) -> None:
    for outcome in readers.run(60, tmp_path, seed=2):
        assert outcome.failures == ()
        assert outcome.tried
