"""Explanations as JSON Lines."""

from pathlib import Path

import pytest

from hdlgraph.errors import UsageError
from hdlgraph.model import Explanation
from hdlgraph.store.explanations import digest, read_jsonl, usable, write_jsonl

SHA = "ab" * 32
ONE = Explanation(path="b.sv", purpose="Counts.", concepts=("counter",), sha256=SHA, model="m")
TWO = Explanation(path="a.sv", purpose="Waits – long.", sha256=SHA, model="m")


def test_a_written_file_is_sorted_and_reads_back(tmp_path: Path):
    target = tmp_path / "x.jsonl"
    assert write_jsonl([ONE, TWO], target) == 2
    assert list(read_jsonl(target)) == ["a.sv", "b.sv"]
    assert read_jsonl(target)["b.sv"] == ONE
    assert [path.name for path in tmp_path.iterdir()] == ["x.jsonl"]


def test_the_record_form_without_model_is_read(tmp_path: Path):
    source = tmp_path / "x.jsonl"
    line = f'{{"path":"a.sv","purpose":"P.","concepts":["x"],"sha256":"{SHA}","other":1}}\n'
    source.write_text("\n" + line)
    assert read_jsonl(source)["a.sv"].model == "imported"


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        '{"path":"a.sv"}',
        '{"path":"a.sv","purpose":5}',
        f'{{"path":"../a.sv","purpose":"p","sha256":"{SHA}"}}',
        f'{{"path":"/a.sv","purpose":"p","sha256":"{SHA}"}}',
        f'{{"path":"a.sv","purpose":" ","sha256":"{SHA}"}}',
        '{"path":"a.sv","purpose":"p","sha256":"12"}',
        "\ufffd\x00",
    ],
)
def test_a_bad_line_is_named_with_a_remedy(tmp_path: Path, line: str):
    source = tmp_path / "x.jsonl"
    good = f'{{"path":"a.sv","purpose":"P.","sha256":"{SHA}"}}'
    source.write_text(f"{good}\n{line}\n")
    with pytest.raises(UsageError, match=r"x\.jsonl:2: .*delete that line"):
        read_jsonl(source)


def test_bytes_that_are_no_text_and_missing_files_are_usage_errors(tmp_path: Path):
    source = tmp_path / "x.jsonl"
    source.write_bytes(b'{"path":"\xff\xfe"}\n')
    with pytest.raises(UsageError, match=r"x\.jsonl:1"):
        read_jsonl(source)
    with pytest.raises(UsageError, match="check the path"):
        read_jsonl(tmp_path / "none.jsonl")
    with pytest.raises(UsageError, match="choose another file"):
        write_jsonl([ONE], tmp_path / "none" / "x.jsonl")


def test_only_the_same_content_is_usable():
    assert usable({"b.sv": ONE}, "b.sv", SHA) is ONE
    assert usable({"b.sv": ONE}, "b.sv", "cd" * 32) is None
    assert usable({}, "b.sv", SHA) is None


def test_digest_depends_on_the_words():
    assert digest(ONE) == digest(ONE)
    assert digest(ONE) != digest(TWO)
