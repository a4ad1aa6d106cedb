"""Where hardly any file has comments, what names and shape say weighs more."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hdlgraph.project import Project
from hdlgraph.query.weights import BARE, WRITTEN, Weights

QUEUE = "module queue(input clk, input push, output full); endmodule\n"
LINK = "module link(input clk, output ready); queue u_queue(); endmodule\n"


def opened(folder: Path, texts: dict[str, str]) -> Project:
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text)
    project = Project(folder)
    project.index(graphrag="never", embeddings=False)
    return project


def test_the_weights_are_by_how_many_files_comments_introduce(tmp_path: Path) -> None:
    bare = opened(tmp_path / "bare", {"queue.v": QUEUE, "link.v": LINK}).searcher()
    assert list(bare.lexicon.introduced) == [False, False]
    assert bare.weights(None) == BARE
    told = "// Holds words until the receiver takes them.\n"
    mixed = opened(tmp_path / "mixed", {"queue.v": told + QUEUE, "link.v": LINK}).searcher()
    introduced = dict(zip(mixed.lexicon.paths, mixed.lexicon.introduced, strict=True))
    assert introduced == {"link.v": False, "queue.v": True}
    assert mixed.weights(None) == Weights()


def test_a_part_without_comments_does_not_make_an_index_bare(tmp_path: Path) -> None:
    told = "// Holds words until the receiver takes them.\n"
    searcher = opened(tmp_path / "mixed", {"queue.v": told + QUEUE, "link.v": LINK}).searcher()
    link = np.array([searcher.lexicon.paths.index("link.v")])
    assert searcher.weights(link) == Weights()
    assert searcher.weights(np.array([], int)) == Weights()


def test_written_explanations_count_among_the_candidates(tmp_path: Path) -> None:
    searcher = opened(tmp_path / "bare", {"queue.v": QUEUE, "link.v": LINK}).searcher()
    link, queue = searcher.lexicon.paths.index("link.v"), searcher.lexicon.paths.index("queue.v")
    searcher.lexicon.written[link] = True
    assert searcher.weights(np.array([link])) == WRITTEN
    assert searcher.weights(np.array([queue])) == BARE
