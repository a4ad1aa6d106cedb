"""Sentences that many files share are no description of any of them."""

from __future__ import annotations

import msgspec

from hdlgraph.index.explain.by_rules.evidence.repeats import Repeats
from hdlgraph.index.explain.by_rules.explainer import DeterministicExplainer, explain_all
from hdlgraph.index.explain.neighbourhood import Neighbourhood
from hdlgraph.model import Comment, FileRecord, Instance, Unit

NOTICE = "This hardware is given away under the Example Open Rules, revision {n}, 20{n:02d}."
NAMES = "adder timer mixer packer filter router sorter loader gauge padder shaper driver".split()


def record(path: str, header: str = "", unit: Unit | None = None) -> FileRecord:
    stem = path.rpartition("/")[2].partition(".")[0]
    units = (unit or Unit(kind="module", name=stem, line=9, end_line=20),)
    comments = (Comment(1, 5, header),) if header else ()
    size = len(header)
    return FileRecord(
        path, "", "rtl", "verilog", size, 20, "ascii", header=header, units=units, comments=comments
    )


def library(own: str = "Makes {name} things.") -> list[FileRecord]:
    return [
        record(f"lib{n % 4}/{name}.v", f"{NOTICE.format(n=n)}\n\n{own.format(name=name)}")
        for n, name in enumerate(NAMES)
    ]


def test_a_notice_goes_whatever_the_years_and_numbers_in_it():
    for path, item in explain_all(library()).items():
        name = path.partition("/")[2].removesuffix(".v")
        for text in (item, item.for_search()):
            assert text.purpose.startswith(f"Makes {name} things.")
            assert "Example Open Rules" not in text.to_text()


def test_a_template_that_names_the_file_is_one_sentence():
    records = library(own="{name}.v was made by the table tool version 3.")
    banners, _ = Repeats(records).repeated(records[0])
    assert "was made by the table tool version 3." in " ".join(banners)
    assert "table tool" not in explain_all(records)[records[0].path].purpose


def test_the_only_description_of_a_family_stays_but_not_beside_another():
    same = "A wrapper that selects a hardened memory."
    records = library()
    for name in ("ram_a", "ram_b", "ram_c", "ram_d", "ram_e", "ram_f"):
        records.append(record(f"rams/{name}.v", same))
    records.append(record("rams/ram_g.v", f"{same}\n\nHas two ports for reading."))
    told = explain_all(records + [record(f"x{n}/other{n}.v") for n in range(30)])
    assert told["rams/ram_a.v"].purpose.startswith(same)
    assert told["rams/ram_g.v"].purpose.startswith("Has two ports for reading.")
    assert same not in told["rams/ram_g.v"].purpose


def test_copies_of_one_file_keep_their_description():
    copies = [record(f"board{n}/top.v", "Blinks a light on the board.") for n in range(12)]
    told = explain_all(copies + library())
    assert told["board3/top.v"].purpose.startswith("Blinks a light on the board.")


def test_a_childs_description_is_not_its_wrappers():
    says = "Turns serial samples into words of eight."
    child = record("rtl/deserial.v", says)
    inside = Instance("u_de", "deserial", 12, 13)
    wrapper = Unit(kind="module", name="deserial_top", line=9, end_line=20, instances=(inside,))
    told = explain_all([child, record("rtl/deserial_top.v", says, wrapper)])
    assert told["rtl/deserial.v"].purpose.startswith(says)
    assert says not in told["rtl/deserial_top.v"].purpose


def test_what_introduces_a_helper_is_told_of_the_helper():
    helper = Unit(kind="module", name="step", line=4, end_line=6, comment="Takes one small step.")
    main = Unit(kind="module", name="walk", line=9, end_line=90, comment="Walks along a table.")
    units = msgspec.structs.replace(
        record("rtl/walk.v", "Takes one small step."), units=(helper, main)
    )
    (item,) = explain_all([units]).values()
    assert item.purpose.startswith("Walks along a table. step: Takes one small step.")
    alone = msgspec.structs.replace(
        units, units=(helper, msgspec.structs.replace(main, comment=""))
    )
    (item,) = explain_all([alone]).values()
    assert item.purpose.startswith("Takes one small step. Module walk, with step")


def test_the_first_sentence_leads_unless_another_says_more():
    says = "Runs over fixed-length vectors.\n\nSecond stage: a pipeline of the unit walks on."
    (item,) = explain_all([record("rtl/walk.v", says)]).values()
    assert item.purpose.startswith("Runs over fixed-length vectors.")
    says = "Renamed one signal to avoid a clash.\n\nReceives frames from the link."
    (item,) = explain_all([record("rtl/walk.v", says)]).values()
    assert item.purpose.startswith("Receives frames from the link.")


def test_advice_is_told_after_what_a_document_says():
    texts = [("README.md", "- `rarely_used`: Keeps rare words apart.")]
    rare = record("rtl/rarely_used.v", "You should not take this directly.")
    explainer = DeterministicExplainer.for_records([rare], (), texts)
    purpose = explainer.explain(rare, Neighbourhood()).purpose
    assert purpose.startswith("Keeps rare words apart. You should not take this directly.")
