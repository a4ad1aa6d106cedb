"""The page's views of clocks, unused things, testbenches, addresses, users and changes."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from _web import served
from starlette.testclient import TestClient

from hdlgraph.project import Project

DESIGNS = Path(__file__).parents[1] / "designs"
PLACE = re.compile(r'href="/file/([^"?#]+)[^"]*#L(\d+)"')
LINK = re.compile(r'href="(/[^"#]+)')
BROKEN = "module broken;\n  logic a;\n  assign a = ;\nendmodule\n"
OTHER_BUILD = """typedef struct packed { logic v; logic [3:0] d; } req_t;
module gated(input logic ca, cb, d, output logic [3:0] x, output logic y);
req_t r; logic a;
function automatic logic [3:0] only_d(req_t one); return one.d; endfunction
always_ff @(posedge ca) a <= d;
assign r = '{v: a, d: 4'b0};
always_ff @(posedge cb) x <= only_d(r);
`ifdef TRACED
always_ff @(posedge cb) y <= a;
`endif
endmodule
"""
STRANGER = '<img src=x onerror="alert(1)">'

VIEWS = (
    "/clocks",
    "/clocks?unit=chip",
    "/clocks?unit=chip&resets=true",
    "/crossings",
    "/crossings?unit=chip",
    "/crossings?unit=chip&kind=none",
    "/unused",
    "/unused?deliberate=true",
    "/testbench",
    "/testbench?name=pulse",
    "/testbench?name=pulse_env",
    "/testbench?name=pulse_smoke",
    "/reach",
    "/reach?name=lamp",
    "/who",
    "/who?name=pulse",
    "/impact",
    "/impact?name=pulse",
    "/picture?unit=chip",
)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("several") / "design"
    for name in ("clocks", "idle", "address", "verification"):
        shutil.copytree(DESIGNS / name, root, dirs_exist_ok=True)
    (root / "broken.sv").write_text(BROKEN)
    (root / "other").mkdir()
    (root / "other" / "twin.sv").write_text("module twin(input clk); endmodule\n")
    (root / "twin.sv").write_text("module twin(input clk); endmodule\n")
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    return root


@pytest.fixture(scope="module")
def page(root: Path) -> Iterator[TestClient]:
    with served(root) as client:
        yield client


def html_of(page: TestClient, address: str) -> str:
    got = page.get(address, headers={"accept": "text/html"})
    assert got.status_code == 200, f"{address}: {got.text[:2000]}"
    return str(got.text)


@pytest.mark.parametrize("view", VIEWS)
def test_every_link_and_every_line_is_there(page: TestClient, root: Path, view: str) -> None:
    html = html_of(page, view)
    for path, line in PLACE.findall(html):
        assert int(line) <= len((root / path).read_text().split("\n")), f"{path}:{line}"
    for address in set(LINK.findall(html)) - {"/overview"}:  # that builds tables
        assert page.get(unescape(address)).status_code == 200, f"{address} on {view}"


def test_clocks_begin_at_lines_and_tell_their_gates(page: TestClient, root: Path) -> None:
    html = html_of(page, "/clocks?unit=chip")
    text = (root / "chip.sv").read_text().split("\n")
    lines = {int(line) for path, line in PLACE.findall(html) if path == "chip.sv"}
    assert any("input" in text[line - 1] and "clk_a" in text[line - 1] for line in lines)
    assert "made by a register" in html
    assert '<td data-th="Step">gated</td>' in html
    resets = html_of(page, "/clocks?unit=chip&resets=true")
    assert "6 asynchronous, active low" in " ".join(resets.split())


def test_crossings_are_counted_by_what_is_in_the_way(page: TestClient) -> None:
    everything = html_of(page, "/crossings?unit=chip")
    assert '<span class="role x-none">nothing seen</span>' in everything
    assert "x-synchroniser" in everything
    alone = html_of(page, "/crossings?unit=chip&kind=synchroniser")
    assert 'class="role x-none"' not in alone
    assert page.get("/crossings?unit=chip&kind=luck").status_code == 400


def test_other_builds_and_doubtful_ways_are_told(tmp_path: Path) -> None:
    (tmp_path / "gated.sv").write_text(OTHER_BUILD)
    Project(tmp_path).index(embeddings=False, graphrag="never", jobs=1)
    with served(tmp_path) as page:
        assert "1 more if <code>TRACED</code>" in html_of(page, "/clocks?unit=gated")
        crossings = html_of(page, "/crossings?unit=gated")
    assert "doubtful: only_d takes r whole (gated.sv:7)" in re.sub("<[^>]+>", "", crossings)
    assert "only if TRACED" in crossings


def test_a_name_of_several_units_offers_them(page: TestClient) -> None:
    html = html_of(page, "/clocks?unit=twin")
    offered = re.findall(r'href="(/clocks\?unit=module[^"]+)"', html)
    assert len(offered) == 2
    assert "No register below it has a clock" in html_of(page, unescape(offered[0]))
    unknown = page.get("/clocks?unit=nosuch", headers={"accept": "text/html"})
    assert unknown.status_code == 404
    assert 'href="/search?q=nosuch"' in unknown.text


def test_unused_things_by_kind_folder_and_purpose(page: TestClient) -> None:
    html = html_of(page, "/unused")
    assert "signals read, never driven" in html
    assert re.search(r'<a href="/file/rtl/lane.sv[^"]*#L\d+"[^>]*>lane.sv', html)
    assert re.search(r'read at <a href="/file/rtl/lane.sv[^"]*#L\d+">line \d+</a>', html)
    kinds = re.findall(r'data-th="Kind">([^<]+)<', html_of(page, "/unused?kind=undriven"))
    assert set(kinds) == {"undriven"}
    assert "On purpose" in html_of(page, "/unused?deliberate=true")
    assert "Nothing unused was found" in html_of(page, "/unused?name=cells.sv&kind=task")
    assert "None of these" in html_of(page, "/unused?name=chip.sv&kind=module")
    assert page.get("/unused?kind=luck").status_code == 400


def test_what_exercises_a_unit(page: TestClient) -> None:
    html = html_of(page, "/testbench?name=pulse")
    for words in ("pulse_env", "pulse_smoke", "pulse_testplan.hjson", "Bound to it"):
        assert words in html
    assert "No testbench of the repository" in html_of(page, "/testbench?name=lonely")
    components = html_of(page, "/testbench?name=pulse_env")
    assert 'class="components"' in components
    assert page.get("/testbench?name=nosuch").status_code == 404


def test_who_reaches_an_address(page: TestClient) -> None:
    html = html_of(page, "/reach?name=lamp")
    assert "decoded by" in html
    assert ">host</th>" in html
    listed = html_of(page, "/reach")
    assert 'href="/reach?name=lamp0"' in listed
    assert "at line" not in listed
    assert "Nothing is known to answer" in html_of(page, "/reach?name=0xfffffff0")


def test_users_and_effects_have_their_lines(page: TestClient, root: Path) -> None:
    html = html_of(page, "/who?name=pulse")
    assert "Instantiates" in html
    places = [(path, int(line)) for path, line in PLACE.findall(html) if "tb/" in path]
    assert any("pulse" in (root / path).read_text().split("\n")[n - 1] for path, n in places)
    assert "1 step away" in html_of(page, "/impact?name=pulse")
    assert "knows no use of it" in html_of(page, "/who?name=chip")
    assert "Nothing of the index depends on it" in html_of(page, "/impact?name=chip")


def test_names_of_strangers_are_escaped(page: TestClient) -> None:
    for view in ("clocks?unit", "crossings?unit", "unused?name", "testbench?name", "reach?name"):
        got = page.get(f"/{view}={STRANGER}", headers={"accept": "text/html"})
        assert got.status_code in (400, 404)
        assert "<img" not in got.text


def test_a_card_leads_to_the_views_of_its_kind(page: TestClient) -> None:
    module = html_of(page, "/show?name=chip")
    for view in ("clocks?unit", "crossings?unit", "testbench?name", "unused?name", "impact?name"):
        assert f'href="/{view}=' in module
    port = html_of(page, "/show?name=chip.clk_a")
    assert 'href="/who?name=' in port
    assert "/clocks?" not in port
    home = html_of(page, "/")
    for view in ("/clocks", "/crossings", "/registers", "/reach", "/testbench", "/unused"):
        assert f'href="{view}"' in home


def test_a_file_tells_its_syntax_errors(page: TestClient) -> None:
    html = html_of(page, "/file/broken.sv")
    assert "1 syntax error:" in html
    assert '<div id="L3" class="bad"' in html
    assert "syntax error" not in html_of(page, "/file/chip.sv")
    assert ("broken.sv", "3") in PLACE.findall(html_of(page, "/status"))


def test_a_project_file_is_shown_and_a_stranger_is_not(page: TestClient, root: Path) -> None:
    assert "pulse_smoke" in html_of(page, "/file/dv/pulse_sim_cfg.hjson")
    assert page.get("/file/sim/main.cc").status_code == 404
    assert page.get("/file/../several").status_code == 404
    html = html_of(page, "/testbench?name=pulse")
    assert "/file/sim/main.cc" not in html


def test_boxes_of_a_block_diagram_lead_to_cards(page: TestClient) -> None:
    html = html_of(page, "/picture?unit=chip")
    drawn = html.partition("<svg")[2].partition("</svg>")[0]
    links = [unescape(one) for one in re.findall(r'<a href="([^"]+)"', drawn)]
    assert links
    assert all(one.startswith("/show?name=module") for one in links)
    assert "<style" not in drawn
    assert "style=" not in drawn
    assert 'role="group"' in drawn


def test_the_tree_takes_its_unit_by_either_name(page: TestClient) -> None:
    by_unit, by_top = (page.get("/api/v1/tree", params={one: "chip"}) for one in ("unit", "top"))
    assert by_unit.json() == by_top.json()
    assert [one["name"] for one in by_unit.json()["tops"]] == ["chip"]
    both = page.get("/api/v1/tree", params={"unit": "chip", "top": "twin"})
    assert both.status_code == 400
    assert "give one of them" in both.json()["error"]


def test_users_are_cut_where_the_caller_says(page: TestClient) -> None:
    whole = page.get("/api/v1/who", params={"name": "chip.clk_a"}).json()
    cut = page.get("/api/v1/who", params={"name": "chip.clk_a", "limit": 1}).json()
    assert len(whole["users"]) > 1
    assert cut["users"] == whole["users"][:1]
    assert cut["total"] == whole["total"]
