"""What documents of the repository say of a file, and how far a document's word reaches."""

from __future__ import annotations

from pathlib import Path

import pytest

from hdlgraph.index.explain.by_rules.evidence.documents import DocumentTexts, described
from hdlgraph.index.explain.by_rules.explainer import DeterministicExplainer, neighbourhoods
from hdlgraph.model import FileRecord, Unit


def record(path: str, header: str = "") -> FileRecord:
    stem = path.rpartition("/")[2].partition(".")[0]
    unit = Unit(kind="module", name=stem, line=1, end_line=2)
    return FileRecord(path, "", "rtl", "verilog", 1, 1, "ascii", header=header, units=(unit,))


FOLD = record("rtl/fold_unit.v")


@pytest.mark.parametrize(
    "text",
    [
        "| Name | What |\n|---|---|\n| `fold_unit` | Folds words in half. |",
        "| [fold_unit](rtl/fold_unit.v) | x | Folds words in half. |",
        "Parts:\n* **fold_unit** - Folds words in half.",
        "- `fold_unit.v`: Folds words in half. And more.",
        "- [`fold_unit`](rtl/fold_unit.v): Folds words in half.",
        "## fold_unit\n\nFolds words\nin half. Then rests.\n\nMore.",
        "## `fold_unit` module\nFolds words in half.",
        "### fold_unit: Folds words in half.",
    ],
)
def test_rows_bullets_and_headings_tell(text: str):
    ((sentence, place),) = described([FOLD], [("README.md", text)]).values()
    assert sentence.rstrip(".") == "Folds words in half"
    assert place.startswith("README.md:")


def test_a_document_of_its_own_tells_by_its_first_paragraph():
    said = "This document specifies the fold machine of words."
    text = f'---\ntitle: "Fold"\n---\n\n# Overview\n\n{said}'
    records = [record("ip/fold/rtl/fold.v"), record("other/fold.v")]
    found = described(records, [("ip/fold/doc/index.md", text)])
    assert found == {"ip/fold/rtl/fold.v": ("fold machine of words.", "ip/fold/doc/index.md:7")}


def test_a_plain_word_means_a_file_only_in_the_folder_of_the_document():
    records = [record("rtl/top.v"), record("sub/rtl/top.v")]
    texts = [
        ("README.md", "- `top`: Ties it all together."),
        ("sub/README.md", "- `top`: A small one here."),
    ]
    assert described(records, texts) == {"sub/rtl/top.v": ("A small one here.", "sub/README.md:1")}


def test_diaries_other_files_and_links_out_are_not_read(tmp_path: Path):
    (tmp_path / "README.md").write_text("- `fold_unit`: Folds words in half.")
    (tmp_path / "CHANGELOG.md").write_text("- `fold_unit`: Fix the width of words.")
    (tmp_path / "data.hjson").write_text("{}")
    outside = tmp_path.parent / "outside.md"
    outside.write_text("- `fold_unit`: Not of this place here.")
    (tmp_path / "link.md").symlink_to(outside)
    assert [path for path, _ in DocumentTexts(tmp_path)] == ["README.md"]


def test_a_document_describes_a_file_without_words_of_its_own():
    said = record("rtl/bend_unit.v", "Bends words to the left.")
    texts = [
        ("README.md", "- `fold_unit`: Folds words.. in half.\n- `bend_unit`: Does bend things.")
    ]
    records = [said, FOLD]
    explainer, around = (
        DeterministicExplainer.for_records(records, (), texts),
        neighbourhoods(records),
    )
    fold, bend = (explainer.explain(r, around[r.path]) for r in (FOLD, said))
    assert fold.purpose.startswith("Folds words.. in half.")
    assert "Folds words.. in half." in fold.for_search().purpose
    assert bend.purpose.startswith("Bends words to the left.")
    assert "Does bend things" not in bend.to_text()
    other = DeterministicExplainer.for_records(records)
    assert explainer.key(FOLD, around[FOLD.path]) != other.key(FOLD, around[FOLD.path])
    assert explainer.key(said, around[said.path]) != b""
