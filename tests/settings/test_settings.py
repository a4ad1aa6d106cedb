from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import yaml

from hdlgraph.errors import SettingsError
from hdlgraph.settings.records import Settings, render_settings
from hdlgraph.settings.yaml import GRAPHRAG_SECTIONS

ROOT = Path(__file__).resolve().parents[2]


def write(folder: Path, text: str) -> Path:
    path = folder / "settings.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_root_file_is_the_rendering():
    assert (ROOT / "settings.yaml").read_text(encoding="utf-8") == render_settings()


def test_rendering_reads_back_as_the_defaults(tmp_path):
    assert Settings.load(write(tmp_path, render_settings())) == Settings()
    assert Settings.load(None) == Settings()


def test_rendering_of_changed_settings_reads_back(tmp_path):
    changed = dataclasses.replace(
        Settings(),
        files=dataclasses.replace(
            Settings().files, exclude=('a "b"', "x\\$y", "**/*_tb.sv", "null", "1", "a\nb\tc\x7f")
        ),
        parse=dataclasses.replace(Settings().parse, deadline_s=2.5, pyverilog=False),
    )
    assert Settings.load(write(tmp_path, render_settings(changed))) == changed


def test_rendering_survives_graphrags_template():
    from string import Template

    data = yaml.safe_load(Template(render_settings()).substitute({}))
    assert set(data) <= GRAPHRAG_SECTIONS | {"hdlgraph"}
    assert data["vector_store"]["vector_size"] == Settings().embedding.dim


def test_every_setting_has_help():
    for section in dataclasses.fields(Settings):
        record = getattr(Settings(), section.name)
        assert type(record).__doc__
        for field in dataclasses.fields(record):
            assert dataclasses.is_dataclass(getattr(record, field.name)) or field.metadata["help"]


@pytest.mark.parametrize("text", ["", "# only a comment\n", "hdlgraph:\n", "hdlgraph:\n  files:\n"])
def test_empty_sections_are_defaults(tmp_path, text):
    assert Settings.load(write(tmp_path, text)) == Settings()


def test_values_are_taken(tmp_path):
    text = (
        "hdlgraph:\n  search: {hops: 2}\n  files:\n    include: rtl/**\n  parse: {deadline_s: 3}\n"
    )
    settings = Settings.load(write(tmp_path, text))
    assert settings.search.hops == 2
    assert settings.files.include == ("rtl/**",)
    assert settings.parse.deadline_s == 3.0


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("hdlgraph:\n  ask:\n    rewrite: true\n", 3, ["ask.rewrite", "called `reword` now"]),
        ("hdlgraph:\n  embedding:\n    late: no\n", 3, ["late", "called `token_vectors` now"]),
        ("hdlgraf:\n  x: 1\n", 1, ["hdlgraf", "did you mean `hdlgraph`"]),
        ("hdlgraph:\n  serach: {}\n", 2, ["hdlgraph.serach", "`search`"]),
        ("hdlgraph:\n  search:\n    hop: 1\n", 3, ["hdlgraph.search.hop", "`hops`"]),
        ("hdlgraph:\n  search:\n    zzz: 1\n", 3, ["known here: hops, k"]),
        ("hdlgraph:\n  search:\n    hops: 7\n", 3, ["at most 2"]),
        ("hdlgraph:\n  search:\n    hops: two\n", 3, ["whole number"]),
        ("hdlgraph:\n  search:\n    hops: true\n", 3, ["whole number"]),
        ("hdlgraph:\n  parse:\n    pyverilog: 1\n", 3, ["true or false"]),
        ("hdlgraph:\n  files:\n    include: {a: 1}\n", 3, ["list of texts"]),
        ("hdlgraph:\n  embedding:\n    provider: magic\n", 3, ["magic", "embedded, onnx, openai"]),
        ("hdlgraph:\n  embedding:\n    api_base: http://x/$KEY\n", 3, ["environment"]),
        ("hdlgraph:\n  search: {k: 1}\n  search: {k: 2}\n", 3, ["twice"]),
        ("hdlgraph:\n  search: 3\n", 2, ["key: value"]),
        ("- a\n- b\n", 1, ["key: value"]),
        ("hdlgraph:\n  a: [1, 2\nb: 3\n", 3, ["not valid YAML"]),
        ("a: 1\n\tb: 2\n", 2, ["not valid YAML"]),
    ],
)
def test_mistakes_name_place_and_remedy(tmp_path, text, line, words):
    path = write(tmp_path, text)
    with pytest.raises(SettingsError) as caught:
        Settings.load(path)
    message = str(caught.value)
    assert f"settings.yaml:{line}" in message
    assert "\n" not in message
    for word in words:
        assert word in message


def test_missing_and_binary_files(tmp_path):
    with pytest.raises(SettingsError, match="hdlgraph init"):
        Settings.load(tmp_path / "none.yaml")
    path = tmp_path / "settings.yaml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError, match="UTF-8"):
        Settings.load(path)
    with pytest.raises(SettingsError, match="cannot be read"):
        Settings.load(tmp_path)


def test_digest_depends_on_its_sections_only():
    base = Settings()
    other = dataclasses.replace(base, search=dataclasses.replace(base.search, hops=2))
    assert base.digest("parse", "files") == other.digest("parse", "files")
    assert base.digest("search") != other.digest("search")
    assert base.digest() != other.digest()


def test_sections_are_those_of_graphrag():
    """GraphRAG's own model is read from its source: importing it takes seconds."""
    import ast
    from importlib.util import find_spec

    spec = find_spec("graphrag")
    assert spec and spec.submodule_search_locations
    source = Path(spec.submodule_search_locations[0], "config/models/graph_rag_config.py")
    tree = ast.parse(source.read_text(encoding="utf-8"))
    (model,) = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "GraphRagConfig"]
    names = {n.target.id for n in model.body if isinstance(n, ast.AnnAssign)}
    assert names == GRAPHRAG_SECTIONS
