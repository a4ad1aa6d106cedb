"""Which block answers at an address, and which hosts reach it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from _texts import indexed, rows

from hdlgraph.errors import UsageError
from hdlgraph.project import Project
from hdlgraph.query.reach.numbers import NoNumberError, value

DESIGN = Path(__file__).parent.parent / "designs" / "address"


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("reach") / "address"
    shutil.copytree(DESIGN, folder)
    (folder / "data" / "xbar_broken.hjson").write_text("{ nodes: [ connections: \n")
    project = Project(folder)
    project.index(graphrag="never", embeddings=False, jobs=1)
    return project


def only(project: Project, asked: str) -> dict[str, Any]:
    found = project.reach(asked)["answers"]
    assert len(found) == 1, [one["how"] for one in found]
    return found[0]


def hosts(one: dict[str, Any]) -> dict[str, list[str]] | None:
    if one["hosts"] is None:
        return None
    return {host["name"]: [step["name"] for step in host["through"]] for host in one["hosts"]}


@pytest.mark.parametrize(
    ("address", "instance", "block", "offset", "reached"),
    [
        (
            *("0x10001ffc", "ram", "sram", 0x1FFC),
            {"cpu": ["crossbar main"], "dma": ["crossbar main"]},
        ),
        ("0x40000004", "lamp0", "lamp", 4, {"cpu": ["crossbar main", "crossbar slow"]}),
        (
            *("32'h40001000", "lamp1", "lamp", 0),
            {"cpu": ["crossbar main", "crossbar slow"], "probe": ["crossbar slow"]},
        ),
        (
            "0x5000_0ffc",
            "Uart",
            "",
            0xFFC,
            {"u_core": ["router"], "board.debug_addr_i": ["router"]},
        ),
        ("0x50010000", "Rom", "", 0, {"u_core": ["router"], "board.debug_addr_i": ["router"]}),
        ("0x7000003f", "at line 47", "", 0x3F, {"u_fetch": ["tiny"]}),
        ("0x71000010", "at line 48", "", 0x10, {"u_fetch": ["tiny"]}),
        ("2147483648", "Left", "", 0, None),
        ("0x80001fff", "Right", "", 0xFFF, None),
        ("0x09005000", "second", "", 0x1000, None),
    ],
)
def test_an_address_tells_block_and_hosts(
    design: Project,
    address: str,
    instance: str,
    block: str,
    offset: int,
    reached: dict[str, list[str]] | None,
) -> None:
    one = only(design, address)
    assert (one["instance"], one["block"], one["offset"]) == (instance, block, offset)
    assert hosts(one) == reached
    assert one["sure"] is (one["size"] is not None) is (instance != "second")


@pytest.mark.parametrize("address", ["0x10002000", "0x50001000", "0x70000040", "0x80000400", "0"])
def test_outside_of_all_maps_nothing_answers(design: Project, address: str) -> None:
    found = design.reach(address)
    assert found["answers"] == []
    assert found["total"] == 0
    assert found["regions"] >= 10


def test_every_place_is_a_line_that_says_it(design: Project) -> None:
    def line(one: dict[str, Any]) -> str:
        assert one["location"] == f"{one['path']}:{one['line']}"
        return (design.root / one["path"]).read_text().splitlines()[one["line"] - 1]

    one = only(design, "0x40001004")
    assert '"lamp1"' in line(one)
    assert "MODE" in line(one["register"])
    assert {line(host).split("name: ")[1].split(",")[0] for host in one["hosts"]} == {
        '"cpu"',
        '"probe"',
    }
    assert "start_addr: RomBase" in line(only(design, "0x50010000"))
    decoder = only(design, "0x09004000")["decoders"][0]
    assert decoder["name"] == "loose"
    assert "second_base_addr_gp:" in line(decoder)


def test_a_register_stands_in_every_copy_of_its_block(design: Project) -> None:
    found = design.reach("lamp.MODE")["answers"]
    assert {(one["instance"], one["address"]) for one in found} == {
        ("lamp0", 0x40000004),
        ("lamp1", 0x40001004),
    }
    assert {one["register"]["name"] for one in found} == {"lamp.MODE"}
    assert only(design, "lamp1.MODE")["address"] == 0x40001004
    assert only(design, "lamp0")["base"] == 0x40000000


def test_a_register_of_an_array_is_named_by_its_number(design: Project) -> None:
    assert only(design, "lamp1.STEP_2")["address"] == 0x40001010
    assert only(design, "lamp1.STEP")["address"] == 0x40001008
    assert only(design, "0x40001014")["register"]["name"] == "lamp.STEP"


def test_a_broken_file_is_named_and_the_rest_counts(design: Project) -> None:
    assert [one.partition(":")[0] for one in design.reach("0")["broken"]] == [
        "data/xbar_broken.hjson"
    ]


def test_an_unknown_name_has_the_nearest(design: Project) -> None:
    with pytest.raises(UsageError, match=r"did you mean lamp\.LEVEL"):
        design.reach("lamp.LEVLE")


def unknown(name: str) -> int:
    raise NoNumberError(name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("32'h1000_0000 + 4 * 2", 0x1000_0008),
        ("~32'hFF & 'hFFFF", 0xFF00),
        ("(1 << 12) | 8'b11", 0x1003),
        ("-(4 - 6)", 2),
    ],
)
def test_numbers(text: str, expected: int) -> None:
    assert value(text, unknown) == expected


@pytest.mark.parametrize("text", ["", "4'bx", "1 << 999", "1 / 0", "(1", "a", "1 +", "9" * 401])
def test_what_has_no_value(text: str) -> None:
    with pytest.raises(NoNumberError):
        value(text, unknown)


WRAPPED = """module wrapped #(
  parameter logic [63:0] NonIdempotentAddrBase = 64'h00C0000000,
  parameter logic [63:0] NonIdempotentLength = 64'hFFFFFFFFFF,
  parameter logic [63:0] CachedRegionAddrBase = 64'h80000000,
  parameter logic [63:0] CachedRegionLength = 64'h1000,
  parameter logic [63:0] LampBase = 64'h1000,
  parameter logic [63:0] LampLength = 64'h100
) (input logic [63:0] addr_i, output logic hit_o);
assign hit_o = addr_i >= LampBase && addr_i < LampBase + LampLength;
endmodule
"""


def test_how_a_core_may_access_a_range_decodes_no_address(tmp_path: Path) -> None:
    project = indexed(tmp_path, {"wrapped.sv": WRAPPED})
    assert project.reach("0xDEADBEEF00")["answers"] == []
    assert project.reach("0x80000010")["answers"] == []
    assert project.reach("0x1010")["answers"]


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Three designs whose maps have the same names."""
    text = (DESIGN / "board.sv").read_text()
    files = {f"b{n}.sv": text.replace("board", f"board{n}") for n in range(3)}
    return indexed(tmp_path_factory.mktemp("boards"), files)


@pytest.mark.parametrize(
    "question",
    ["base addresses of rom and uart?", "what is the base address of uart plus rom?"],
)
def test_the_addresses_of_several_devices_are_told_without_hosts(
    boards: Project, question: str
) -> None:
    found = rows(boards, question)
    first = [found[at : at + 3] for at in range(0, 18, 3)]
    assert [one[0] for one in first[:2]] in (
        ["Uart is at 0x50000000, 4096 bytes:", "Rom is at 0x50010000, 4096 bytes:"],
        ["Rom is at 0x50010000, 4096 bytes:", "Uart is at 0x50000000, 4096 bytes:"],
    )
    places = {(one[0].split()[0], one[2]) for one in first}
    lines = (("Uart", 36), ("Rom", 37))
    assert places == {(name, f"[b{n}.sv:{line}]") for name, line in lines for n in range(3)}
    assert "hosts reach it" not in "".join(found)


def test_a_size_that_is_asked_with_an_address_is_told(boards: Project) -> None:
    question = "which start address and length has the uart in the board?"
    found = rows(boards, question)
    assert (found[0], found[2]) == ("Uart is at 0x50000000, 4096 bytes:", "[b0.sv:36]")


def test_the_hosts_of_several_devices_are_told_where_hosts_are_asked(boards: Project) -> None:
    found = rows(boards, "which hosts can reach the uart and the rom?")
    assert {row.split()[0] for row in found if "hosts reach it" in row} == {"Uart", "Rom"}
    assert "- u_core (core_a) [b0.sv:40]" in found
