"""Names of registers where the design has none so called, and where no documents are indexed."""

from __future__ import annotations

from pathlib import Path

import pytest
from _texts import indexed

from hdlgraph.errors import UsageError
from hdlgraph.project import Project

BLOCK = """\
{{
  name: "{name}"
  clock_primary: "clk_i"
  bus_device: "tlul"
  regwidth: "32"
  registers: [
    {{ name: "BELL_TEST"
      desc: "Rings the {name} once"
      swaccess: "rw"
      hwaccess: "hro"
      fields: [{{ bits: "0" }}]
    }}
    {{ name: "LAMP"
      desc: "Lights up"
      swaccess: "rw"
      hwaccess: "hro"
      fields: [{{ bits: "0" }}]
    }}
  ]
}}
"""


@pytest.fixture(scope="module")
def yard(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root: Path = tmp_path_factory.mktemp("yard")
    for name in ("gate", "door"):
        (root / f"{name}.hjson").write_text(BLOCK.format(name=name))
    text = "module gate (input logic clk_i);\n  logic bell_test;\nendmodule\n"
    return indexed(root, {"gate.sv": text})


def test_a_signal_that_is_nearly_so_called_is_not_all(yard: Project):
    found = yard.show("BELL_TEST")
    assert [one["name"] for one in found["definitions"]] == ["gate.bell_test"]
    (note,) = found["notes"]
    assert note.startswith(
        "BELL_TEST is a register of 2 blocks: door.BELL_TEST (door.hjson:7), "
        "gate.BELL_TEST (gate.hjson:7)"
    )
    assert yard.show("bell_test")["notes"] == []


def test_a_name_that_only_registers_have_is_told_with_the_error(yard: Project):
    with pytest.raises(UsageError, match=r"nothing is called 'LAMP'.*LAMP is a register of 2"):
        yard.show("LAMP")


def test_registers_are_named_where_no_documents_are_indexed(yard: Project):
    result = yard.search("ring the door", kind="register")
    assert "4 registers are described in the repository" in result.notes[0]
    assert ": door.BELL_TEST (door.hjson:7); `hdlgraph registers NAME`" in result.notes[0]
