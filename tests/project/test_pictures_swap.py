"""Pictures while a new index comes: all of a picture is of one generation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hdlgraph.project import Project


class Overtaken(Project):
    """A project whose repository is indexed anew after each look at the index."""

    number = 0

    def _held_graph(self) -> tuple[Any, Any]:
        found = super()._held_graph()
        self.number += 1
        text = f"module a{self.number}; endmodule\nmodule aa{self.number}; endmodule\n"
        (self.root / "rtl" / f"a{self.number}.sv").write_text(text)
        Project(self.root).index(embeddings=False, graphrag="never", jobs=1)
        return found


def test_a_picture_is_of_one_generation(indexed_soc: Path, tmp_path: Path) -> None:
    expected = Project(indexed_soc).picture("soc_top")
    assert Overtaken(indexed_soc).picture("soc_top") == expected
    page = tmp_path / "page.html"
    told = Overtaken(indexed_soc).export_picture("html", page, "soc_top")
    assert told["pictures"] > 1
    assert "soc_top" in page.read_text()
