"""Names of single projects: apart from general vocabulary, in force by evidence, switchable."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import pytest

from hdlgraph.errors import IndexDamagedError
from hdlgraph.knowledge.abbreviations import abbreviations
from hdlgraph.knowledge.dictionary import Dictionary
from hdlgraph.knowledge.glossary import glossary
from hdlgraph.knowledge.projects import (
    CHOSEN,
    EVIDENCE,
    all_projects,
    evident,
    read_chosen,
    table,
    write_chosen,
)
from hdlgraph.knowledge.short_forms import ShortForm, fields, general_forms
from hdlgraph.knowledge.structures import structures
from hdlgraph.knowledge.thesaurus import headwords, mentions, related
from hdlgraph.model import FileRecord, Unit
from hdlgraph.project import Project
from hdlgraph.results import IndexReport
from hdlgraph.words import split_identifier, stem

TITLES = {"names", "abbreviations", "short forms", "glossary", "structures", "thesaurus"}


def record(path: str, *units: str) -> FileRecord:
    made = tuple(Unit("module", name, 1, 2) for name in units)
    return FileRecord(path, "0" * 64, "rtl", "systemverilog", 10, 2, "utf-8", units=made)


THREE = [
    record("hw/ip/keymgr/keymgr_ctrl.sv"),
    record("hw/top.sv", "otbn"),
    record("lib/prim_subreg_ext.sv"),
]
"""Files with three of OpenTitan's names: two of files (one with more after it), one of a unit."""


@pytest.mark.parametrize("project", all_projects())
def test_a_project_table_is_well_formed(project: str) -> None:
    sections = table(project)
    assert set(sections) <= TITLES
    assert len(sections) > 1
    names = [name for line in sections["names"] for name in line.split()]
    assert len(names) >= EVIDENCE
    assert len(set(names)) == len(names)
    assert all(split_identifier(name) for name in names)
    for line in sections.get("structures", ()):
        name, others, _ = (part.strip() for part in line.split("|"))
        assert name and others, line  # noqa: PT018
    for line in sections.get("thesaurus", ()):
        head, equals, terms = line.partition(" = ")
        assert equals and head == head.lower() and all(t.isalnum() for t in terms.split(", ")), line  # noqa: PT018
    for title, mark in (("abbreviations", " = "), ("glossary", ": ")):
        assert all(line.count(mark) == 1 for line in sections.get(title, ()))
    assert all(fields(line)[2] for line in sections.get("short forms", ()))
    header = (files("hdlgraph.knowledge") / "projects" / f"{project}.txt").read_text("utf-8")
    assert "three of the names under [names]" in header
    assert EVIDENCE == 3


def test_a_structure_of_one_project_has_a_description_and_a_shared_one_is_told_once() -> None:
    known = structures(all_projects())
    names = [structure.name.lower() for structure in known]
    assert names == sorted(set(names))
    assert all(structure.what for structure in known)
    general = {structure.name: structure for structure in structures()}
    for structure in known:
        if structure.name in general:
            assert structure.what == general[structure.name].what
            assert set(structure.spellings) >= set(general[structure.name].spellings)


def test_three_names_of_files_or_units_are_evidence_and_two_are_not() -> None:
    assert evident(THREE) == ("opentitan",)
    for left_out in THREE:
        assert evident([one for one in THREE if one is not left_out]) == ()


def test_a_name_counts_whole_and_once() -> None:
    same = [record("a/keymgr.sv"), record("b/keymgr_dpe.sv"), record("otbn/x.sv"), THREE[2]]
    assert evident(same) == ()  # keymgr twice; a folder is no name of a file
    assert evident([*THREE[:2], record("myprim_subreg.sv"), record("prim/subreg.sv")]) == ()


def test_tables_in_force_add_to_the_general_ones() -> None:
    lowrisc = ("opentitan",)
    assert "mubi" not in abbreviations()
    assert abbreviations(lowrisc)["mubi"] == "multi-bit boolean"
    assert "otbn" not in general_forms()
    assert "otbn" in general_forms(lowrisc)
    assert "alert handler" not in glossary()
    assert "alert handler" in glossary(lowrisc)
    assert stem("clkmgr") not in related()[("clock", stem("manager"))]
    assert stem("clkmgr") in related(lowrisc)[("clock", stem("manager"))]
    names = {structure.name for structure in structures(lowrisc)}
    assert "OTP key derivation interface" in names - {one.name for one in structures()}
    assert mentions()["otbn"] == 0 < mentions(lowrisc)["otbn"]
    assert Dictionary().meanings("OTBN") == ()
    assert Dictionary(projects=lowrisc).meanings("OTBN")[0].long.startswith("OpenTitan")
    assert Dictionary(projects=("pulp",)).part("serdiv") == ShortForm(
        "serdiv", "serial divider", source="part"
    )


def test_a_general_abbreviation_goes_before_a_project_s() -> None:
    for project in all_projects():
        both = abbreviations((project,))
        assert all(both[part] == words for part, words in abbreviations().items())
        assert list(headwords((project,))) == sorted(headwords((project,)))


def test_the_choice_is_kept_and_foreign_names_are_passed_over(tmp_path: Path) -> None:
    assert read_chosen(tmp_path) == ()
    write_chosen(tmp_path, ["pulp", "opentitan"])
    assert json.loads((tmp_path / CHOSEN).read_text()) == ["opentitan", "pulp"]
    assert read_chosen(tmp_path) == ("opentitan", "pulp")
    (tmp_path / CHOSEN).write_text('["../licences", "of a later version", "pulp"]')
    assert read_chosen(tmp_path) == ("pulp",)
    (tmp_path / CHOSEN).write_text("{}")
    with pytest.raises(ValueError):  # noqa: PT011
        read_chosen(tmp_path)


QUESTION = "which part is the big number accelerator?"


@dataclass
class Seen:
    """What an index of one repository says with a value of the setting."""

    report: IndexReport
    chosen: list[str]
    explained: int  # files whose text for the search spells a project's short form out
    terms: set[str]
    otbn: int


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, dict[str, Seen]]:
    """A repository with three of OpenTitan's names, indexed with the tables and then without."""
    root = tmp_path_factory.mktemp("chip")
    for name in ("keymgr_ctrl", "csrng_core", "otbn_alu"):
        (root / f"{name}.sv").write_text(
            f"module {name} (input logic mubi_i, output logic mubi_o);\n"
            "  assign mubi_o = mubi_i;\nendmodule\n"
        )
    seen = {}
    for projects in ("auto", "never"):
        (root / "settings.yaml").write_text(f"hdlgraph:\n  knowledge:\n    projects: {projects}\n")
        project = Project(root)
        report = project.index(graphrag="never", embeddings=False)
        [file] = project.folder.glob(f"gen-*/{CHOSEN}")
        groups = project.searcher().ranking(QUESTION, 1).question.groups
        seen[projects] = Seen(
            report,
            json.loads(file.read_text()),
            project.searcher().lexicon.document_frequency("boolean", "explanation"),
            {term for group in groups for term, _ in group.members},
            len(project.dictionary().meanings("OTBN")),
        )
    return project, seen


def test_indexing_decides_by_evidence(indexed: tuple[Project, dict[str, Seen]]) -> None:
    auto = indexed[1]["auto"]
    assert auto.chosen == ["opentitan"]
    assert auto.otbn == 1
    assert auto.explained == 3


def test_the_setting_switches_it_off_though_no_file_changed(
    indexed: tuple[Project, dict[str, Seen]],
) -> None:
    never = indexed[1]["never"]
    assert never.report.changed == never.report.added == ()
    assert never.chosen == []
    assert never.otbn == 0
    assert never.explained == 0


def test_a_search_takes_the_tables_of_its_index(indexed: tuple[Project, dict[str, Seen]]) -> None:
    assert indexed[1]["auto"].terms - indexed[1]["never"].terms == {"otbn"}


def test_a_changed_choice_is_damage(indexed: tuple[Project, dict[str, Seen]]) -> None:
    project, _ = indexed
    [file] = project.folder.glob(f"gen-*/{CHOSEN}")
    file.write_text("12")
    with pytest.raises(IndexDamagedError, match=CHOSEN):
        Project(project.root).search("which file has the alu?")
