"""Macros of files that are not included, through whole runs: parsed again only when they change."""

from pathlib import Path

import pytest

from hdlgraph.index.kept.memory import next_run, remembering
from hdlgraph.project import Project

FILES = {
    "defs.svh": "`define KEEP(name) \\\n  keeper name``_reg (.clk_i, .d_i(name``_d));\n",
    "a.sv": "module a (input clk_i, input x_d);\n  `KEEP(x)\nendmodule\n",
    "b.sv": "module b (input clk_i);\n  a u_a (.clk_i);\nendmodule\n",
    "keeper.sv": "module keeper (input clk_i, input d_i);\nendmodule\n",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def run(root: Path) -> list[str]:
    """Returns the paths that a run parsed."""
    from hdlgraph.index.parse import pool

    parsed: list[str] = []
    whole = pool.parse_all

    def parse_all(*given, **named):
        parsed.extend(one.path for one in given[1])
        return whole(*given, **named)

    pool.parse_all = parse_all
    try:
        Project(root).index(graphrag="never", jobs=1, embeddings=False)
    finally:
        pool.parse_all = whole
    return sorted(parsed)


def instances(root: Path, name: str) -> list[tuple[str, str]]:
    unit = Project(root).show(name).units[0]
    return [(one.name, one.unit) for one in unit.instances]


def test_files_are_parsed_again_when_a_macro_that_they_use_changes(repository):
    with remembering():
        assert run(repository) == sorted(FILES)
        next_run()
        assert run(repository) == []
        (repository / "defs.svh").write_text("// A line more.\n" + FILES["defs.svh"])
        next_run()
        assert run(repository) == ["defs.svh"]
        changed = FILES["defs.svh"].replace("name``_reg", "name``_cell")
        (repository / "defs.svh").write_text(changed)
        next_run()
        assert run(repository) == ["a.sv", "defs.svh"]
    (repository / "other.svh").write_text("`define KEEP(name) wire name;\n")
    assert run(repository) == ["a.sv", "other.svh"]
