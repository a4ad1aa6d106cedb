"""Which testbench exercises a unit, and what the classes of a testbench are to each other."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from hdlgraph.errors import UsageError
from hdlgraph.project import Project
from hdlgraph.query.verification.roles import role_of
from hdlgraph.query.verification.types import bound, filled, split, written


@pytest.fixture(scope="module")
def project(pulse_project: Project) -> Project:
    return pulse_project


def only(project: Project, name: str) -> dict[str, Any]:
    (found,) = project.testbench(name)["found"]
    return found


def names(items: list[dict[str, Any]], key: str = "name") -> list[str]:
    return [one[key] for one in items]


def test_a_unit_below_a_wrapper_has_its_testbench(project: Project):
    found = only(project, "pulse")
    (bench,) = found["testbenches"]
    assert (bench["location"], bench["bench"], bench["depth"]) == ("dv/tb/tb.sv:2", "uvm", 2)
    assert bench["instance"] == "tb.dut.u_pulse"
    assert [step["location"] for step in bench["through"]] == [
        "dv/tb/tb.sv:9",
        "dv/tb/wrapper.sv:7",
    ]
    assert names(bench["envs"]) == ["pulse_env"]
    assert names(bench["agents"]) == ["pulse_agent"]
    assert names(bench["coverage"]) == ["pulse_env_cov"]
    assert names(bench["test_classes"]) == ["pulse_base_test", "pulse_slow_test"]
    assert names(bench["sequences"])[:2] == ["pulse_smoke_vseq", "pulse_burst_seq"]
    assert names(bench["interfaces"], "unit") == ["pulse_if"]
    assert [(one["name"], one["test"], one["sequence"]) for one in bench["tests"]] == [
        ("pulse_smoke", "pulse_base_test", "pulse_smoke_vseq"),
        ("pulse_slow", "pulse_slow_test", "pulse_burst_seq"),
        ("pulse_burst", "pulse_base_test", "pulse_burst_seq"),
    ]


def test_what_is_bound_and_programs_in_other_languages(project: Project):
    found = only(project, "pulse_counter")
    assert [(one["kind"], one["location"], one["depth"]) for one in found["programs"]] == [
        ("cocotb", "cocotb/Makefile:2", 0),
        ("verilator", "sim/main.cc:1", 1),
    ]
    (check,) = only(project, "pulse")["bound"]
    assert (check["name"], check["into"]) == ("pulse_checks", "pulse")
    assert check["location"] == "dv/tb/bind.sv:10"


def test_a_unit_that_nothing_exercises(project: Project):
    found = only(project, "lonely")
    assert (found["testbenches"], found["programs"]) == ([], [])
    assert project.testbenches("lonely") == project.testbenches("no_such_unit") == []


def test_the_components_below_a_class(project: Project):
    found = only(project, "pulse_env")
    assert found["role"] == "env"
    assert names(found["chain"]) == ["uvm_env"]
    agent, scoreboard, cov = found["tree"]["children"]
    assert (agent["name"], agent["class"], agent["many"]) == ("m_agent", "pulse_agent", True)
    assert agent["created"] == "dv/env/pulse_env.sv:22"
    # What the parameters of the base stand for is told by the class that extends it.
    assert [(one["name"], one["class"]) for one in agent["children"]] == [
        ("monitor", "pulse_monitor"),
        ("driver", "pulse_driver"),
        ("sequencer", "uvm_sequencer"),
    ]
    assert (scoreboard["role"], cov["role"], cov["role_by"]) == ("scoreboard", "coverage", "name")
    assert found["n_components"] == 6


def test_ports_are_resolved_by_the_types_of_variables(project: Project):
    monitor, driver = only(project, "pulse_env")["connections"]
    ends = [
        (end["component"], end["class"], end["port"]) for end in (monitor["from"], monitor["to"])
    ]
    assert ends == [
        ("m_agent[0].monitor", "pulse_monitor", "item_port"),
        ("scoreboard", "pulse_scoreboard", "item_fifo.analysis_export"),
    ]
    ends = [(end["component"], end["class"], end["port"]) for end in (driver["from"], driver["to"])]
    assert ends == [
        ("driver", "pulse_driver", "seq_item_port"),
        ("sequencer", "uvm_sequencer", "seq_item_export"),
    ]


def test_a_test_of_a_list(project: Project):
    found = only(project, "pulse_slow")
    assert found["class"]["location"] == "dv/tests/pulse_test_pkg.sv:20"
    assert found["sequence_class"]["name"] == "pulse_burst_seq"
    assert names(found["benches"], "location") == ["dv/tb/tb.sv:2"]
    assert [(one["asked"], one["made"], one["under"]) for one in found["overrides"]] == [
        ("pulse_driver", "pulse_slow_driver", ""),
        ("pulse_monitor", "odd_monitor", "env.m_agent[1].*"),
    ]
    assert only(project, "pulse_smoke")["goals"] == [
        {"name": "smoke", "location": "dv/pulse_testplan.hjson:4"}
    ]


def test_sequences_and_where_they_start(project: Project):
    starts = only(project, "pulse_smoke_vseq")["starts"]
    assert [(one["sequence"], one["sequencer"], one["location"]) for one in starts] == [
        ("pulse_burst_seq", "p_sequencer", "dv/env/pulse_seqs.sv:21"),
        ("pulse_burst_seq", "p_sequencer", "dv/env/pulse_seqs.sv:23"),
    ]
    (default,) = only(project, "pulse_base_test")["starts"]
    assert (default["sequence"], default["how"]) == ("pulse_burst_seq", "default_sequence")
    assert default["sequencer"] == "env.m_agent[0].sequencer.main_phase"


def test_an_agent_has_the_sequences_of_its_item(project: Project):
    for name in ("pulse_agent", "pulse_driver"):
        found = only(project, name)["driven_by"]
        assert names(found) == ["pulse_burst_seq", "pulse_base_seq", "pulse_smoke_vseq"]
        assert {one["item"] for one in found} == {"pulse_item"}
        assert [one["location"] for one in found[0]["started"]] == [
            "dv/env/pulse_seqs.sv:21",
            "dv/env/pulse_seqs.sv:23",
            "dv/tests/pulse_test_pkg.sv:11",
        ]
    assert only(project, "pulse_monitor")["driven_by"] == []


def test_keys_of_the_configuration_database(project: Project):
    found = only(project, "vif")
    assert [(one["set"], one["get"]) for one in found["pairs"]] == [
        ("dv/tb/tb.sv:16", "dv/agent/pulse_agent.sv:18")
    ]
    overview = project.testbench()
    assert names(overview["unread"], "key") == ["never_read"]
    assert names(overview["unset"], "key") == ["never_set"]
    assert [(one["name"], one["units"]) for one in overview["testbenches"]] == [
        ("tb", ["pulse_wrapper"])
    ]


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("pulse_expect", [("dv/dpi/pulse_dpi.c:5", True), ("dv/dpi/pulse_dpi.h:2", False)]),
        ("pulse_seed", [("dv/dpi/pulse_dpi.c:9", True)]),
        ("pulse_c_seed", [("dv/dpi/pulse_dpi.c:9", True)]),
        ("pulse_missing", []),
    ],
)
def test_dpi_leads_to_c(project: Project, name: str, places: list[tuple[str, bool]]):
    found = only(project, name)
    assert [(one["location"], one["is_body"]) for one in found["c"]] == places


def test_who_show_and_path_know_these_edges(project: Project):
    users = project.who("pulse_monitor")["users"]
    told = {(one["kind"], one["user_name"], one["location"]) for one in users}
    assert ("CREATES", "pulse_agent", "dv/agent/base.sv:11") in told
    users = project.who("pulse_scoreboard")["users"]
    assert ("SENDS_TO", "pulse_monitor") in {(one["kind"], one["user_name"]) for one in users}
    users = project.who("pulse_driver")["users"]
    assert ("OVERRIDES", "pulse_slow_driver") in {(one["kind"], one["user_name"]) for one in users}
    (shown,) = project.show("pulse_agent")["definitions"]
    assert shown["verification"]["role"] == "agent"
    walk = project.path("pulse_base_test", "pulse_scoreboard")["walks"][0]
    assert [(one["kind"], one["to"]["name"]) for one in walk["steps"]] == [
        ("CREATES", "pulse_env"),
        ("CREATES", "pulse_scoreboard"),
    ]


def test_the_graph_itself_has_none_of_these_edges(project: Project):
    kinds = set(project._held_graph()[1].edges.column("kind"))
    assert kinds.isdisjoint({"CREATES", "SENDS_TO", "OVERRIDES", "STARTS"})


def test_unknown_names_have_near_ones(project: Project):
    with pytest.raises(UsageError, match=r"pulse_env \(dv/env/pulse_env.sv:13\)"):
        project.testbench("pulse_emv")
    with pytest.raises(UsageError, match="has no components"):
        project.testbench_diagram("lonely")


def test_a_changed_file_is_read_again_and_others_are_not(
    pulse_project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    from hdlgraph.index.verification import write

    root = tmp_path / "pulse"
    shutil.copytree(pulse_project.root, root)
    project = Project(root)
    file = root / "dv" / "env" / "pulse_env.sv"
    file.write_text(file.read_text().replace("pulse_env_cov::type_id", "pulse_agent::type_id"))
    read = []
    monkeypatch.setattr(write, "scan", lambda data: read.append(1) or scan(data))
    from hdlgraph.index.verification.scan import scan

    project.index(embeddings=False, graphrag="never", jobs=1)
    assert len(read) == 1
    children = only(project, "pulse_env")["tree"]["children"]
    assert children[2]["class"] == "pulse_agent"


@pytest.mark.parametrize(
    ("chain", "groups", "expected"),
    [
        (["a", "b", "uvm_agent"], False, ("agent", "chain")),
        (["a_cov", "uvm_component"], False, ("coverage", "name")),
        (["a", "uvm_component"], True, ("coverage", "chain")),
        (["a_cfg", "uvm_object"], False, ("config", "name")),
        (["a", "other_vip_driver_c"], False, ("driver", "name")),
        (["a", "uvm_test", "uvm_component", "uvm_object"], False, ("test", "chain")),
        (["plain"], False, ("", "")),
    ],
)
def test_roles(chain: list[str], groups: bool, expected: tuple[str, str]):
    assert role_of(chain, groups) == expected


def test_types_and_their_parameters():
    assert written("virtual p::t #(.A(x), 4)") == ("t", (("A", "x"), ("", "4")))
    assert split("a, b #(c, d), {e, f}") == ["a", "b #(c, d)", "{e, f}"]
    assert filled("T #(T, x.T)", {"T": "u"}) == "u #(u, x.T)"
    assert bound((("A", "1"), ("B", "A")), (("", "7"),)) == {"A": "7", "B": "7"}
