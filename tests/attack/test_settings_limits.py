"""A repository's settings.yaml: what it may set, and YAML that is made to be endless."""

from __future__ import annotations

import dataclasses
import os
import time
from pathlib import Path

import pytest

from hdlgraph.errors import SettingsError
from hdlgraph.index.stages.reading import usable_cores
from hdlgraph.settings.confine import allowed
from hdlgraph.settings.locate import load_settings
from hdlgraph.settings.nodes import BYTES, DEPTH, NODES
from hdlgraph.settings.records import Settings, render_settings

DOCS = Path(__file__).parent.parent.parent / "docs/repository-settings.md"
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{b}: &{b} [*{a}, *{a}, *{a}, *{a}, *{a}, *{a}, *{a}, *{a}, *{a}]\n"
    for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)


def write(root: Path, text: str) -> Path:
    path = root / "settings.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("section", "line"),
    [
        ("files", "max_bytes: 8000001"),
        ("files", "suffixes: ['']"),
        ("files", "suffixes: [v]"),
        ("files", "suffixes: ['/../x.v']"),
        ("files", "include: [" + "a, " * 201 + "]"),
        ("files", "include: [" + "a" * 201 + "]"),
        ("files", 'exclude: ["a\\nb"]'),
        ("parse", "deadline_s: 20.5"),
        ("parse", "memory_mb: 1025"),
        ("llm", "provider: openai"),
        ("llm", "base_url: http://127.0.0.1:1"),
        ("llm", "key_env: HOME"),
        ("llm", "concurrency: 17"),
        ("explain", "explainer: model"),
        ("extract", "method: both"),
        ("embedding", "provider: openai"),
        ("embedding", "provider: onnx"),
        ("embedding", "path: model"),
        ("embedding", "api_base: http://127.0.0.1:1"),
        ("embedding", "max_tokens: 129"),
        ("embedding", "batch: 65"),
        ("search", "k: 101"),
        ("ask", "writer: model"),
        ("ask", "reword: true"),
        ("graphrag", "enabled: always"),
        ("graphrag", "reports: model"),
        ("graphrag", "memory_mb: 4097"),
        ("graphrag", "deadline_s: 901"),
    ],
)
def test_a_repository_may_not_set(tmp_path, section, line):
    path = write(tmp_path, f"hdlgraph:\n  {section}:\n    {line}\n")
    with pytest.raises(SettingsError) as caught:
        load_settings(tmp_path)
    message = str(caught.value)
    assert f"`hdlgraph.{section}.{line.partition(':')[0]}`" in message
    assert f"{path}:3" in message
    assert f"--settings {path}" in message
    assert "\n" not in message


def test_the_user_may_set_it(tmp_path):
    path = write(tmp_path, "hdlgraph:\n  parse: {memory_mb: 2048, jobs: 100}\n")
    assert load_settings(tmp_path, path).parse.memory_mb == 2048
    assert load_settings(tmp_path, path).parse.jobs == 100


def test_a_repository_may_lower_limits(tmp_path):
    write(
        tmp_path,
        "hdlgraph:\n  files: {include: [rtl/**], suffixes: [.sv, .v.in], max_bytes: 1000}\n"
        "  parse: {deadline_s: 2, memory_mb: 512, jobs: 1, pyverilog: false}\n"
        "  embedding: {provider: none}\n  search: {k: 20, hops: 2}\n"
        "  graphrag: {enabled: never}\n",
    )
    settings = load_settings(tmp_path)
    assert settings.files.suffixes == (".sv", ".v.in")
    assert (settings.files.max_bytes, settings.parse.memory_mb) == (1000, 512)
    assert (settings.parse.deadline_s, settings.parse.jobs) == (2.0, 1)
    assert (settings.search.k, settings.graphrag.enabled) == (20, "never")


def test_processes_of_a_repository_end_at_the_cores(tmp_path):
    write(tmp_path, "hdlgraph:\n  parse: {jobs: 1000}\n  embedding: {threads: 1000}\n")
    settings = load_settings(tmp_path)
    assert settings.parse.jobs == usable_cores()
    assert settings.embedding.threads == usable_cores()


def test_what_init_writes_loads_in_a_repository(tmp_path):
    write(tmp_path, render_settings())
    assert load_settings(tmp_path) == Settings()


@pytest.mark.parametrize(
    ("section", "line"),
    [
        ("parse", "jobs: 100000"),
        ("parse", "deadline_s: .inf"),
        ("parse", "deadline_s: .nan"),
        ("parse", "memory_mb: 2000000"),
        ("files", "max_bytes: 9000000000"),
        ("search", "k: 20000"),
    ],
)
def test_no_settings_file_goes_beyond_sense(tmp_path, section, line):
    path = write(tmp_path, f"hdlgraph:\n  {section}:\n    {line}\n")
    with pytest.raises(SettingsError, match=r"settings\.yaml:3"):
        load_settings(tmp_path, path)


def test_documented_keys_are_those_of_the_records():
    rows = [line for line in DOCS.read_text().splitlines() if line.startswith("| `")]
    assert rows == [f"| `{key}` | {words} |" for key, words in allowed(Settings())]


def test_every_key_has_a_rule():
    for section in dataclasses.fields(Settings):
        for field in dataclasses.fields(getattr(Settings(), section.name)):
            assert "repository" in field.metadata


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("hdlgraph:\n  files:\n    include: " + "[" * 100_000, 3),
        ("hdlgraph:\n" + "".join(" " * n + "a:\n" for n in range(1, 400)), DEPTH),
        (BOMB + "hdlgraph:\n  files: {include: *i}\n", 1),
        ("hdlgraph: &a\n  files: {include: &b [*b, *b, *b]}\n", 2),
        ("hdlgraph:\n  files: {include: [" + "a, " * (NODES + 1) + "]}\n", 2),
        ("hdlgraph:\n  parse: {memory_mb: " + "9" * 9000 + "}\n", 2),
    ],
)
def test_endless_yaml_is_refused_at_its_line(tmp_path, text, line):
    path = write(tmp_path, text)
    for explicit in (None, path):
        started = time.monotonic()
        with pytest.raises(SettingsError) as caught:
            load_settings(tmp_path, explicit)
        assert time.monotonic() - started < 5
        assert f"settings.yaml:{line}" in str(caught.value)
        assert len(str(caught.value)) < 400


def test_graphrags_sections_are_read_within_the_same_limits(tmp_path):
    from hdlgraph.index.graphrag.pipeline import _left_out

    plain = _left_out(write(tmp_path, "chunking: {size: 5}\n"))
    assert "size" not in plain["chunking"]
    for text in (BOMB, "chunking: " + "[" * 100_000):
        started = time.monotonic()
        assert "size" in _left_out(write(tmp_path, text))["chunking"]
        assert time.monotonic() - started < 5


def test_a_settings_file_that_is_none(tmp_path):
    os.mkfifo(tmp_path / "settings.yaml")
    assert load_settings(tmp_path) == Settings()
    (tmp_path / "settings.yaml").unlink()
    (tmp_path / "settings.yaml").symlink_to("/dev/zero")
    assert load_settings(tmp_path) == Settings()
    with pytest.raises(SettingsError, match="no regular file"):
        load_settings(tmp_path, Path("/dev/zero"))


def test_a_settings_file_outside_or_too_large(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "other.yaml").write_text("hdlgraph:\n  search: {k: 3}\n")
    (root / "settings.yaml").symlink_to(tmp_path / "other.yaml")
    with pytest.raises(SettingsError, match="leads out of"):
        load_settings(root)
    (root / "settings.yaml").unlink()
    write(root, "hdlgraph:\n  search: {k: 3}\n" + "#" * BYTES)
    with pytest.raises(SettingsError, match=f"more than {BYTES} bytes"):
        load_settings(root)
    # That of another program may be as large as it likes.
    write(root, "#" * 5_000_000)
    assert load_settings(root) == Settings()
