"""Whether a unit is there by default: the condition of its instances, and what that is."""

from __future__ import annotations

from pathlib import Path

import pytest
from _texts import indexed

from hdlgraph.project import Project

FILES = {
    "rtl/umbrella.sv": "module umbrella (input logic rain_i);\nendmodule\n",
    "rtl/awning.sv": "module awning (input logic rain_i);\nendmodule\n",
    "rtl/porch.sv": """\
module porch #(parameter bit Shelter = 1'b0, parameter bit Shade = 1'b1) (input logic rain_i);
  if (Shelter) begin : g_shelter
    umbrella u_umbrella (.rain_i);
  end
  if (Shade) begin : g_shade
    awning u_awning (.rain_i);
  end
endmodule
""",
    "rtl/house.sv": """\
module house #(parameter bit Shelter = 1'b0) (input logic rain_i);
  porch #(
    .Shelter(Shelter)
  ) u_porch (.rain_i);
endmodule
""",
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root: Path = tmp_path_factory.mktemp("house")
    (root / "rtl").mkdir()
    return indexed(root, FILES)


def test_what_a_parameter_leaves_out_is_not_there(house: Project) -> None:
    rows = house.ask("is umbrella used anywhere by default?").text.splitlines()
    assert rows[0] == (
        "No, not by the default of porch: porch instantiates umbrella as u_umbrella "
        "only if Shelter."
    )
    assert rows[1] == "- Shelter of porch is 1'b0 by default:"
    assert "- house sets Shelter of porch:" in rows
    assert any(one.endswith(".Shelter(Shelter)") for one in rows)


def test_what_a_parameter_brings_in_is_there(house: Project) -> None:
    first = house.ask("is awning instantiated by default?").text.splitlines()[0]
    assert first.startswith("Yes, by the default of porch: ")


def test_an_instance_without_condition_is_told_as_before(house: Project) -> None:
    assert "by the default of" not in house.ask("is porch used by default?").text
