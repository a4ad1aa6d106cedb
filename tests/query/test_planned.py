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
    project = Project(folder)
    project.index(graphrag="never", embeddings=False, jobs=1)
    return project


def test_the_entry_that_describes_it_is_told_with_its_tests(pulse: Project) -> None:
    first = pulse.ask("which test counts a few of the pulses?").text.splitlines()[0]
    line = "Test plan, smoke: Counts a few pulses. (test pulse_smoke) [dv/pulse_testplan.hjson:5]"
    assert first == line


@pytest.mark.parametrize(
    "question",
    [
        "which test walks a one through the memory?",
        "is there any test case that reads a walking one back from memory?",
    ],
)
def test_an_imported_plan_has_the_names_of_the_list(pulse: Project, question: str) -> None:
    first = pulse.ask(question).text.splitlines()[0]
    assert first == (
        "Test plan, mem_walk: Walks a single one through the memory and reads it back. - Every "
        "address is visited twice. (tests pulse_mem_walk, pulse_mem_rand) [dv/mem.hjson:3]"
    )


@pytest.mark.parametrize(
    "question",
    ["which test melts the solder?", "what does the pulse driver do?", "who instantiates pulse?"],
)
def test_no_entry_is_told_where_none_is_meant(pulse: Project, question: str) -> None:
    assert "Test plan," not in pulse.ask(question).text
