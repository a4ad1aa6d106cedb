"""`+define+` of a filelist chooses what an elaboration takes; all branches stay known."""

from __future__ import annotations

from pathlib import Path

import pytest
from _elaborating import copied, project, tree, values

from hdlgraph.project import Project
from hdlgraph.serve.cli.main import run
from hdlgraph.store.design.facts import read_facts

FILES = {
    "chip.sv": """module chip;
`ifdef FPGA
  fpga_ram #(.W(`WIDTH)) ram ();
`else
  asic_ram #(.W(8)) ram ();
`endif
endmodule
""",
    "fpga_ram.sv": "module fpga_ram #(parameter W = 1); endmodule\n",
    "asic_ram.sv": "module asic_ram #(parameter W = 1); endmodule\n",
    "chip.f": "+define+FPGA+WIDTH=32\nchip.sv\nfpga_ram.sv\nasic_ram.sv\n",
}


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project(tmp_path_factory.mktemp("chip"), FILES)


@pytest.fixture
def chip(indexed: Project, tmp_path: Path) -> Project:
    return copied(indexed, tmp_path)


def with_list(chip: Project) -> None:
    chip.index(filelist=chip.root / "chip.f", embeddings=False, graphrag="never", jobs=1)


def readers(chip: Project) -> dict[str, tuple[str, ...]]:
    """Returns the layers that saw each instance of the chip."""
    shown = chip.show("chip")["definitions"][0]["instances"]
    return {unit["name"]: tuple(unit["witnesses"]) for one in shown for unit in one["units"]}


def test_both_branches_stay_known_with_their_conditions(chip: Project) -> None:
    for told in (False, True):
        if told:
            with_list(chip)
        assert set(readers(chip)) == {"fpga_ram", "asic_ram"}
        assert all("slang" in layers for layers in readers(chip).values())
        (facts,) = [one for one in read_facts(chip._generation().folder) if one.path == "chip.sv"]
        conditions = {
            one.unit: [scope.condition for scope in one.scopes] for one in facts.units[0].instances
        }
        assert conditions == {"fpga_ram": ["FPGA"], "asic_ram": ["!FPGA"]}


def test_the_elaboration_takes_them_and_its_own(chip: Project) -> None:
    chip.elaborate(["chip"])
    assert tree(chip)["ram"]["unit"] == "asic_ram"
    with_list(chip)
    done = chip.elaborate(["chip"])
    assert done["defines"] == ["FPGA", "WIDTH=32"]
    assert tree(chip)["ram"]["unit"] == "fpga_ram"
    assert values(tree(chip)["ram"]) == {"W": "32"}
    chip.elaborate(["chip"], defines=["WIDTH=64"], name="wide")
    assert values(tree(chip, "wide")["ram"]) == {"W": "64"}


def test_the_list_and_its_defines_are_remembered(
    chip: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    with_list(chip)
    (chip.root / "asic_ram.sv").write_text("module asic_ram #(parameter W = 2); endmodule\n")
    assert run(["index", str(chip.root)]) == 0
    assert "using remembered options: -f chip.f --no-embeddings" in capsys.readouterr().err
    assert chip.elaborate(["chip"])["defines"] == ["FPGA", "WIDTH=32"]
    assert tree(chip)["ram"]["unit"] == "fpga_ram"
    (chip.root / "chip.f").write_text("chip.sv\nfpga_ram.sv\nasic_ram.sv\n")
    assert run(["index", str(chip.root)]) == 0
    assert chip.elaborate(["chip"])["defines"] == []
    assert tree(chip)["ram"]["unit"] == "asic_ram"
