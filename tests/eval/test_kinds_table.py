"""Sets of several repositories in one table, beside the plain method, by repository and kind."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hdlgraph.errors import UsageError
from hdlgraph.eval.protocols.kinds import kinds
from hdlgraph.project import Project
from hdlgraph.serve.cli.main import run

FILES = {
    "crc.sv": "// Sums a checksum polynomial.\nmodule crc(input d); endmodule\n",
    "top.sv": "module top(input d);\n  crc u_crc(.d(d));\nendmodule\n",
    "tx.sv": "// Sends a start bit.\nmodule tx #(parameter int RATE_DIV = 4)(input d); endmodule\n",
}
ASKED = [
    ("checksum polynomial", "natural", "crc.sv"),
    ("start bit", "natural", "tx.sv"),
    ("RATE_DIV", "identifier", "tx.sv"),
    ("checksum", "keywords", "tx.sv"),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("kinds")
    for name in ("one", "two"):
        root = home / "src" / name
        root.mkdir(parents=True)
        for path, text in FILES.items():
            (root / path).write_text(text)
        Project(root, home / "idx" / name).index(embeddings=False, graphrag="never", jobs=1)
        lines = [
            {
                "id": f"{name}-{n}",
                "corpus": name,
                "question": text,
                "kind": kind,
                "relevant": [right],
            }
            for n, (text, kind, right) in enumerate(ASKED)
        ]
        (home / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return home


def test_rows_are_by_repository_and_kind_and_never_pooled_alone(place: Path) -> None:
    sets = [place / "one.jsonl", place / "two.jsonl"]
    found = kinds(sets, folder=place / "idx", against="bm25", cache=place)
    names = ["identifier", "keywords", "natural", "all"]
    assert [(row.repository, row.kind) for row in found.rows] == [
        (name, kind) for name in ("one", "two", "all") for kind in names
    ]
    rows = {(row.repository, row.kind): row for row in found.rows}
    assert rows["one", "natural"].n == 2
    assert rows["all", "natural"].n == 4
    assert rows["one", "natural"].own["recall@1"] == 1
    assert rows["one", "keywords"].own["recall@1"] == 0
    assert rows["all", "keywords"].p == 1
    assert [one.id for one in found.outcomes] == ["one-3", "two-3"]
    assert {(one.side, one.first, one.right) for one in found.outcomes} == {
        ("both", "crc.sv", "tx.sv")
    }
    again = kinds(sets, folder=place / "idx", against="bm25", cache=place)
    assert again.to_dict() == found.to_dict()


def test_the_command_prints_the_table_and_the_json(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at = [str(place / "one.jsonl"), "--index", f"one={place / 'idx' / 'one'}"]
    command = ["eval", "kinds", *at, "--against", "bm25"]
    assert run(command) == 0
    text = capsys.readouterr().out
    assert re.search(r"^one +natural +2 +1\.00", text, re.MULTILINE)
    assert "why the right file is not first" in text
    assert "@20" in text
    assert "mrr" not in text
    assert run([*command, "--full"]) == 0
    text = capsys.readouterr().out
    assert "mrr" in text
    assert "one-3 (keywords, both): checksum\n  first crc.sv\n  right tx.sv" in text
    assert run([*command, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["systems"] == ["hdlgraph", "bm25"]
    assert [row["kind"] for row in data["rows"]] == ["identifier", "keywords", "natural", "all"]
    assert data["causes"]["both"] == {data["questions"][0]["cause"]: 1}


def test_what_cannot_be_asked_is_told(place: Path) -> None:
    with pytest.raises(UsageError, match="give --index one=DIR"):
        kinds([place / "one.jsonl"])
    with pytest.raises(UsageError, match=r"no set three\.jsonl is asked"):
        kinds([place / "one.jsonl"], {"three": place})
    twice = [place / "one.jsonl"] * 2
    with pytest.raises(UsageError, match="named twice"):
        kinds(twice, folder=place / "idx", cache=place)


def test_a_set_that_is_not_there_is_told_before_its_corpus_is_fetched(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"umi\.jsonl"):
        kinds([tmp_path / "umi.jsonl"], cache=tmp_path / "cache")
    assert not (tmp_path / "cache").exists()
