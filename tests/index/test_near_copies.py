"""Files that are nearly the same: what counts as a copy, and what does not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hdlgraph.index.near_copies.shape import KEPT, likeness, most_likeness, shape_of
from hdlgraph.project import Project

LICENCE = "// Copyright somebody. Licensed under some licence.\n"


def counter(name: str, width: int = 8, extra: str = "") -> str:
    """Returns a module of some 150 tokens."""
    wires = "\n".join(f"  assign gray_o[{n}] = count_q[{n}] ^ count_q[{n + 1}];" for n in range(7))
    return f"""module {name} (
  input  logic clk_i, input logic rst_ni, input logic enable_i,
  output logic [{width - 1}:0] gray_o
);
  logic [{width - 1}:0] count_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else if (enable_i) count_q <= count_q + {width}'d1;
  end
{wires}
{extra}endmodule : {name}
"""


FILES = {
    "rtl/gray_counter.sv": counter("gray_counter"),
    # The same file twice, with another header, other white space and another width.
    "board_a/gray_counter.sv": LICENCE + counter("gray_counter", 16).replace("  ", "    "),
    "board_b/gray_counter.sv": counter(
        "gray_counter", extra="  assign gray_o[7] = count_q[7] ^ 1;\n"
    ),
    # The same code under another name, and a coder of another width.
    "rtl/ticket_counter.sv": LICENCE + counter("ticket_counter"),
    "rtl/gray_counter_16.sv": counter("gray_counter_16", 32),
    # A file of that name that is another thing.
    "other/gray_counter.sv": counter("gray_counter").replace("^", "|").replace("gray_o", "sum_o"),
    # Short files: their names say what they are.
    "cells/buffer.sv": "module buffer (input a, output z);\n  assign z = a;\nendmodule\n",
    "cells/delay.sv": "module delay (input a, output z);\n  assign z = a;\nendmodule\n",
    "rtl/notes.svh": "`define NOTE 1\n",
    "old/remarks.svh": "`define NOTE 1\n",
    "rtl/empty.sv": "",
    "old/empty.sv": "",
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("copies")
    for path, text in FILES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    return root


def groups(root: Path) -> set[tuple[str, ...]]:
    return set(Project(root).searcher().lexicon.near_copies.values())


def test_copies_are_told_from_what_is_only_alike(repository: Path) -> None:
    assert groups(repository) == {
        (
            "board_a/gray_counter.sv",
            "board_b/gray_counter.sv",
            "rtl/gray_counter.sv",
            "rtl/ticket_counter.sv",
        ),
        ("old/remarks.svh", "rtl/notes.svh"),
    }


def test_a_second_run_finds_the_same_from_its_cache(repository: Path, tmp_path: Path) -> None:
    root = Path(shutil.copytree(repository, tmp_path / "again"))
    before = groups(root)
    (root / "rtl" / "ticket_counter.sv").write_text(counter("ticket_counter").replace("^", "&"))
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    gone = "rtl/ticket_counter.sv"
    assert groups(root) == {tuple(path for path in group if path != gone) for group in before}


def test_a_copy_of_which_a_comment_was_edited_stays_one(repository: Path, tmp_path: Path) -> None:
    root = Path(shutil.copytree(repository, tmp_path / "again"))
    before = groups(root)
    edited = root / "board_a" / "gray_counter.sv"
    edited.write_text(f"// Of board A.\n{edited.read_text()}")
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    assert groups(root) == before
    edited.write_text(edited.read_text().replace("^", "&"))
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    gone = "board_a/gray_counter.sv"
    assert groups(root) == {tuple(path for path in group if path != gone) for group in before}


def test_a_file_that_becomes_the_same_as_another_joins_it(repository: Path, tmp_path: Path) -> None:
    root = Path(shutil.copytree(repository, tmp_path / "again"))
    text = "// Nothing but words, and none of a kind.\n"
    for folder in ("rtl", "old"):
        (root / folder / f"{folder}_only.svh").write_text(f"{text}// {folder}\n")
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    before = groups(root)
    (root / "rtl" / "rtl_only.svh").write_text(f"{text}// old\n")
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    assert groups(root) - before == {("old/old_only.svh", "rtl/rtl_only.svh")}


def test_an_index_without_groups_folds_nothing(repository: Path, tmp_path: Path) -> None:
    root = Path(shutil.copytree(repository, tmp_path / "former"))
    searcher = Project(root).searcher()
    (searcher.index.folder / "lexical" / "near_copies.json").unlink()
    former = type(searcher).load(searcher.index.folder)
    assert former.lexicon.near_copies == {}
    assert not any(hit.copies for hit in former.search("gray counter").hits)


def test_a_damaged_list_is_an_error_that_names_it(repository: Path, tmp_path: Path) -> None:
    root = Path(shutil.copytree(repository, tmp_path / "damaged"))
    searcher = Project(root).searcher()
    (searcher.index.folder / "lexical" / "near_copies.json").write_text('[["rtl"]]')
    with pytest.raises(ValueError, match=r"near_copies\.json"):
        type(searcher).load(searcher.index.folder).search("gray counter")


def test_comments_space_and_own_names_do_not_count() -> None:
    plain = shape_of("module a; assign x = 4'd3; endmodule", ["a"])
    other = shape_of("/* b */ module b;\n\n assign x=4'd3; // b\nendmodule", ["b"])
    assert plain == other
    assert shape_of("module a; assign x = 4'd4; endmodule", ["a"]).runs == plain.runs
    assert shape_of("module a; assign x = 4'd4; endmodule", ["a"]).digest != plain.digest
    assert shape_of("`ifndef A_SV\n`define A_SV\n`endif", ["a"]) == shape_of(
        "`ifndef B_SV\n`define B_SV\n`endif", ["b"]
    )


def test_likeness_is_the_share_of_common_runs() -> None:
    # Runs of five of the letters a to j: 6; to i: 5 of them. 5 / 6 are in both.
    ten, nine = shape_of("a b c d e f g h i j", []), shape_of("a b c d e f g h i", [])
    assert likeness(ten, nine) == pytest.approx(5 / 6)
    assert likeness(ten, ten) == 1.0
    assert likeness(ten, shape_of("a", [])) == 0.0


def test_likeness_of_long_files_is_estimated_closely() -> None:
    words = [f"w{n}" for n in range(6000)]
    whole, most = shape_of(" ".join(words), []), shape_of(" ".join(words[:5400]), [])
    assert len(whole.runs) == 8 * KEPT
    assert likeness(whole, most) == pytest.approx(0.9, abs=0.06)


@pytest.mark.parametrize(("ours", "theirs"), [(0, 0), (0, 9), (40, 44), (40, 400), (400, 500)])
def test_likeness_is_never_more_than_the_numbers_of_runs_allow(ours: int, theirs: int) -> None:
    one, other = (
        shape_of("".join(f"wire w{number}; " for number in range(count)), ["top"])
        for count in (ours, theirs)
    )
    assert likeness(one, other) <= most_likeness(one, other) <= 1
