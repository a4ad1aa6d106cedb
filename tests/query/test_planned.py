"""Questions for a test by what it checks, which test plans describe."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hdlgraph.project import Project

DESIGN = Path(__file__).parent.parent / "designs" / "verification"
SHARED = """{
  entries: [
    {
      name: mem_walk
      desc: '''Walks a single one through the memory and reads it back.

            - Every address is visited twice.'''
      tests: ["{name}_mem_walk", "{name}_mem_rand"]
    }
  ]
}
"""
LAMP = '{ name: "lamp", testplan: "dv/mem.hjson", tests: [{ name: "lamp_mem_walk" }] }\n'


@pytest.fixture(scope="module")
def pulse(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("planned") / "verification"
    shutil.copytree(DESIGN, folder)
    plan = folder / "dv" / "pulse_testplan.hjson"
    text = plan.read_text()
    plan.write_text(
        text.replace('  name: "pulse"', '  name: "pulse"\n  import_testplans: ["dv/mem.hjson"]')
    )
    (folder / "dv" / "mem.hjson").write_text(SHARED)
    (folder / "dv" / "lamp_sim_cfg.hjson").write_text(LAMP)
    project = Project(folder)
    project.index(graphrag="never", embeddings=False, jobs=1)
    return project


def test_the_entry_that_describes_it_is_told_with_its_tests(pulse: Project) -> None:
    first = pulse.ask("which test counts a few of the pulses?").text.splitlines()[0]
    line = "Test plan, smoke: Counts a few pulses. (test pulse_smoke) [dv/pulse_testplan.hjson:5-8]"
    assert first == line


@pytest.mark.parametrize(
    "question",
    [
        "which pulse test walks a one through the memory?",
        "is there any pulse test case in which a single one walks through memory?",
    ],
)
def test_an_imported_plan_has_the_names_of_the_list(pulse: Project, question: str) -> None:
    first = pulse.ask(question).text.splitlines()[0]
    assert first == (
        "Test plan, mem_walk: Walks a single one through the memory and reads it back. - Every "
        "address is visited twice. (tests pulse_mem_walk, pulse_mem_rand) [dv/mem.hjson:3-8]"
    )


def test_a_shared_entry_is_told_once_with_the_tests_of_the_list_that_is_named(
    pulse: Project,
) -> None:
    text = pulse.ask("which lamp test walks a single one through the memory?").text
    assert text.count("Test plan, mem_walk") == 1
    assert "(tests lamp_mem_walk, lamp_mem_rand)" in text


@pytest.mark.parametrize(
    "question",
    ["which test melts the solder?", "what does the pulse driver do?", "who instantiates pulse?"],
)
def test_no_entry_is_told_where_none_is_meant(pulse: Project, question: str) -> None:
    assert "Test plan," not in pulse.ask(question).text
