from __future__ import annotations

import string

import pytest
from hdlgraph.prompts import PLACEHOLDERS, prompt_path, prompt_text, render_prompts

VERILOG = "assign y = {a, b}; // {not_a_field} ##1 $clog2 <|>"


def test_every_text_is_listed():
    found = {path.stem for path in prompt_path("x").parent.glob("*.txt")}
    assert found == set(PLACEHOLDERS)


@pytest.mark.parametrize("name", sorted(PLACEHOLDERS))
def test_prompt_can_be_filled(name):
    text = prompt_text(name)
    fields = {field for _, field, _, _ in string.Formatter().parse(text) if field is not None}
    assert fields == PLACEHOLDERS[name]
    filled = text.format(**dict.fromkeys(PLACEHOLDERS[name], VERILOG))
    assert VERILOG in filled
    assert "{{" not in filled


def test_example_of_extraction_follows_its_own_format():
    text = prompt_text("extract_graph").format(entity_types="module", input_text="")
    example = text.split("Output:")[1].split("<|COMPLETE|>")[0]
    names = set()
    for record in example.split("##"):
        parts = record.strip().strip("()").split("<|>")
        assert len(parts) == {'"entity"': 4, '"relationship"': 5}[parts[0]]
        if parts[0] == '"entity"':
            names.add(parts[1])
        else:
            assert {parts[1], parts[2]} <= names
            assert parts[3].startswith("[")


def test_copies_leave_what_exists(tmp_path):
    own = tmp_path / "explain_file.txt"
    own.write_text("mine {path}", encoding="utf-8")
    assert [p.stem for p in render_prompts(tmp_path)] == sorted(
        set(PLACEHOLDERS) - {"explain_file"}
    )
    assert prompt_text("explain_file", tmp_path) == "mine {path}"
    assert render_prompts(tmp_path) == []
