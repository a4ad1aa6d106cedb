"""Corpora of renamed copies, and the figures of growth, on two small designs."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from hdlgraph import Project
from hdlgraph.errors import UsageError
from hdlgraph.eval.bench_scale import command
from hdlgraph.eval.bench_scale.corpus import write_corpus
from hdlgraph.eval.bench_scale.growth import exponent
from hdlgraph.eval.bench_scale.measure import Place, measure
from hdlgraph.eval.bench_scale.renaming import Renaming, kept_parts, renamings
from hdlgraph.eval.bench_scale.rewording import Rewording
from hdlgraph.eval.bench_scale.searching import times
from hdlgraph.eval.bench_scale.sources import Designs, designs_of, heaps
from hdlgraph.eval.bench_scale.stores import Material, compare
from hdlgraph.eval.bench_scale.vectors import dimensions, nearest_cosines, read_real, synthetic

PUMP = """\
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// The impeller turns when the tank is full. A float tells the level.
`include "basin_defs.svh"
module basin_pump import basin_pkg::*; #(parameter int Blades = 3) (
  input  logic clk_i, input logic [7:0] float_level_i, output logic turn_o
);
  /* The float is checked at 8'hf0, always. */
  assign turn_o = float_level_i > `BASIN_FULL ? 1'b1 : 8'd3 == Blades;
  initial $display("impeller %0d turns\\n", turn_o);
endmodule
"""
TANK = """\
module basin_tank (input logic clk_i, output logic turn_o);
  basin_pump #(.Blades(4)) u_pump (.clk_i, .float_level_i(8'h10), .turn_o(turn_o));
  counter u_counter ();
endmodule
"""


@pytest.fixture
def designs(tmp_path: Path) -> Designs:
    basin, other = tmp_path / "in" / "basin", tmp_path / "in" / "other"
    (basin / "rtl").mkdir(parents=True)
    other.mkdir()
    (basin / "rtl/basin_pump.sv").write_text(PUMP)
    (basin / "rtl/basin_tank.sv").write_text(TANK)
    (basin / "rtl/basin_defs.svh").write_text("`define BASIN_FULL 8'hf0\n")
    (basin / "rtl/basin_pkg.sv").write_text(
        "package basin_pkg;\n  typedef int litre_t;\nendpackage\n"
    )
    (basin / "basin.core").write_text(
        "filesets:\n  files_rtl:\n    files:\n      - rtl/basin_pump.sv\n"
    )
    (other / "counter.v").write_text("module counter;\nendmodule\n")
    (other / "again.svh").write_text("`define BASIN_FULL 8'hf0\n")
    return designs_of({"basin": basin, "other": other})


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    }


def test_a_text_that_two_designs_have_is_taken_once(designs: Designs) -> None:
    assert designs.n_hdl == 5
    assert [s.path for s in designs.sources if s.design == "other"] == ["counter.v"]


def test_the_same_seed_gives_the_same_bytes_and_a_small_corpus_begins_a_large_one(
    designs: Designs, tmp_path: Path
) -> None:
    facts = write_corpus(designs, 12, tmp_path / "a")
    assert (facts["hdl"], facts["copies"], facts["files_of_a_copy"]) == (12, 3, 5)
    write_corpus(designs, 12, tmp_path / "b")
    write_corpus(designs, 7, tmp_path / "c")
    write_corpus(designs, 12, tmp_path / "d", seed=17)
    large, small = files_of(tmp_path / "a"), files_of(tmp_path / "c")
    assert large == files_of(tmp_path / "b")
    assert large != files_of(tmp_path / "d")
    assert small.items() <= large.items()
    assert len(set(large.values())) == len(large)


def test_only_names_and_comments_of_the_code_change(designs: Designs, tmp_path: Path) -> None:
    write_corpus(designs, 10, tmp_path / "a")
    sources = [p.read_text() for p in (tmp_path / "a/copy001/basin").rglob("*.sv")]
    (text,) = (t for t in sources if "$display" in t)
    assert not {"basin", "blades", "impeller"} & set(re.split(r"[\W_]+", text.lower()))
    for kept in ("Apache License, Version 2.0", "8'hf0", "%0d", "\\n", "endmodule"):
        assert kept in text
    names = re.compile(r"[A-Za-z_]\w*")
    code = re.compile(r"//.*|/\*.*?\*/")
    assert names.sub("x", code.sub("", text)) == names.sub("x", code.sub("", PUMP))


def test_what_a_file_of_a_copy_names_the_copy_defines(designs: Designs, tmp_path: Path) -> None:
    write_corpus(designs, 10, tmp_path / "a")
    report = Project(tmp_path / "a", tmp_path / "index").index(
        embeddings=False, graphrag="never", jobs=1
    )
    assert report.files == 10
    assert report.unresolved == 0
    assert report.syntax_errors == 0


def test_names_stay_apart_and_keywords_stay() -> None:
    parts = {"pump": "gear", "gear": "pump", "tank": "axle"}
    renaming = Renaming(parts, frozenset({"counter"}), "mark")
    assert renaming.name("pumpTank_GEAR2") == "gearAxle_PUMP2"
    assert renaming.name("counter") == "mark_counter"
    assert renaming.name("uvm_tank") == "uvm_tank"
    assert renaming.path("rtl/pump.sv") == "rtl/gear.sv"
    assert {"endmodule", "always", "comb", "uvm", "rtl"} <= kept_parts()


def test_comments_say_it_otherwise_and_orders_to_tools_stay() -> None:
    rewording = Rewording(Renaming({"pump": "gear"}, frozenset(), "mark"), "7")
    text = "// verilator lint_off PUMP\nassign a = b; // the pump needed when full\n"
    first, second = rewording.code(text).splitlines()
    assert first == "// verilator lint_off PUMP"
    assert second.startswith("assign a = b; // the gear ")
    assert "needed when" not in second


def test_as_many_words_are_coined_as_heaps_law_expects(designs: Designs) -> None:
    law = heaps([(n, round(30 * n**0.5)) for n in (10, 100, 1000, 10_000)])
    assert law == (pytest.approx(30, rel=0.05), pytest.approx(0.5, abs=0.01))
    first = [r.mark for r in islice(renamings(designs.words, 2, 5, 1), 4)]
    assert first[0] == ""
    assert len(set(first)) == 4
    assert first == [r.mark for r in islice(renamings(designs.words, 2, 5, 1), 4)]


def test_a_folder_with_something_else_is_refused(designs: Designs, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes.txt").write_text("keep")
    with pytest.raises(UsageError, match="is not empty"):
        write_corpus(designs, 5, tmp_path / "mine")
    assert (tmp_path / "mine/notes.txt").read_text() == "keep"
    write_corpus(designs, 5, tmp_path / "a")
    with pytest.raises(UsageError, match="another corpus"):
        write_corpus(designs, 6, tmp_path / "a")


def test_a_size_is_measured_once(designs: Designs, tmp_path: Path) -> None:
    place, said = Place(tmp_path / "work", 6), []
    found = measure(place, lambda: designs, ("corpus", "index"), said.append)
    assert found["index"]["files"] == 6
    assert found["index"]["cpu_s"] > 0
    assert {"parse", "words", "total"} <= found["index"]["stages"].keys()
    assert found["index"]["disk_mb"] > found["index"]["cache_mb"] > 0
    searched = times(place.index, 6)
    assert 0 < searched["p50_ms"] <= searched["p99_ms"]
    again = measure(place, lambda: pytest.fail("written again"), ("corpus", "index"), said.append)
    assert again == found
    assert [line.split(":")[0] for line in said] == ["6 corpus", "6 index"]


def test_exponents_table_and_curves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert exponent([(1000, 5.0), (4000, 40.0)]) == pytest.approx(1.5)
    assert exponent([(1000, 5.0)]) is None
    for size in (1000, 4000):
        steps = {"index": {"files": size, "cpu_s": size / 100, "stages": {"parse": size / 200}}}
        folder = tmp_path / "work/results"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{size}.json").write_text(json.dumps(steps))
    assert command.main(["draw", "-w", str(tmp_path / "work"), "-o", str(tmp_path / "out")]) == 0
    text = capsys.readouterr().out
    assert "| index, CPU | 10.0 s | 40.0 s | 1.00 |" in text
    assert "| stage parse, wall | 5.00 s | 20.0 s | 1.00 |" in text
    root = ET.fromstring((tmp_path / "out/scale-index.svg").read_text())
    assert len(root.findall("{http://www.w3.org/2000/svg}polyline")) == 1
    assert set(json.loads((tmp_path / "out/scale.json").read_text())) == {"1000", "4000"}
    assert command.main(["draw", "-w", str(tmp_path), "-o", str(tmp_path / "out")]) == 2


def test_synthetic_vectors_lie_as_real_ones_and_stores_are_compared(soc_project: Project) -> None:
    real = read_real([soc_project.folder])
    assert len(real.vectors) == len(real.kinds) == len(real.texts) > 20
    kinds = np.unique(real.kinds)
    chance = np.random.default_rng(1)
    moves = {int(k): 0.02 * chance.normal(size=(999, 384)).astype(np.float32) for k in kinds}
    count = 3 * len(real.vectors)
    vectors, groups = synthetic(real, moves, count, 1)
    assert np.allclose(vectors[: len(real.vectors)], real.vectors, atol=1e-3)
    assert np.array_equal(groups, np.tile(real.kinds, 3))
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert len(np.unique(vectors, axis=0)) >= 0.99 * count
    assert np.array_equal(synthetic(real, moves, count, 1)[0], vectors)
    low, middle, high = nearest_cosines(real.vectors)
    assert -1 < low < middle < high < 1.001
    assert 1 < dimensions(real.vectors) < 384
    rows = compare(Material(real, moves, real.vectors[:4]), count, 1)
    assert [row["store"] for row in rows] == ["arrays", "lancedb"]
    assert {row["recall"] for row in rows} == {1.0}
