"""docs/index-format.md against a real index: files, types, columns and keys."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from hdlgraph.index.explain.by_model import kept
from hdlgraph.index.graphrag import entity_vectors, pipeline
from hdlgraph.llm.batch import state
from hdlgraph.store.cache import PACKED, packed_file
from hdlgraph.store.design import configurations
from hdlgraph.store.documents import folder as documents
from hdlgraph.store.format_version import INDEX_VERSION
from hdlgraph.store.manifest import Manifest
from hdlgraph.store.shared.records import POINTER
from hdlgraph.store.tables import GRAPH_SCHEMA
from hdlgraph.store.trained import folder as trained

PAGE = Path(__file__).parents[2] / "docs" / "index-format.md"
TEXT = PAGE.read_text(encoding="utf-8")
SOMETIMES = TEXT.partition("Only sometimes there:")[2].partition("\n## ")[0]
GRAPHRAG = TEXT.partition("## GraphRAG's tables")[2].partition("\n## ")[0]
ROW = re.compile(r"^\| `([^`]+)` \| ([^|]+) \|(?: ([^|]+) \|)?$", re.M)


def expanded(name: str) -> list[str]:
    """Returns the names that `{a,b}_x` stands for."""
    parts = [part.split(",") for part in re.split(r"[{}]", name)]
    return ["".join(one) for one in itertools.product(*parts)]


def rows(text: str) -> dict[str, str]:
    """Returns file -> format of the rows of a part of the page that have three columns."""
    found = [(m[1], m[2].strip()) for m in ROW.finditer(text) if m[3]]
    return {one: kind for name, kind in found for one in expanded(name)}


@pytest.fixture(scope="module")
def folder(soc_project):
    return soc_project.folder


@pytest.fixture(scope="module")
def generation(soc_project):
    return soc_project.folder / f"gen-{soc_project.manifest().generation}"


def named(folder: Path, file: Path) -> str:
    return re.sub(r"^gen-\d+", "gen-N", file.relative_to(folder).as_posix())


def test_every_file_is_on_the_page_and_every_file_of_the_page_is_there(folder):
    there = {named(folder, file) for file in folder.rglob("*") if file.is_file()}
    there = {name for name in there if not name.endswith(("-wal", "-shm"))}
    told = {name for name in rows(TEXT) if not name.endswith("/")}
    rare = {name for name in rows(SOMETIMES) | rows(GRAPHRAG) if not name.endswith("/")}
    assert there - told == set()
    described = {"gen-N/registers/blocks.msgpack", "gen-N/verification/code.msgpack"}
    assert told - there - rare - described == set()


def test_files_that_are_only_sometimes_there_are_named_as_the_code_does():
    assert set(rows(SOMETIMES)) == {
        *(packed_file(Path("cache.sqlite"), name).name for name in PACKED),
        *("imported.jsonl", kept.FIRST, kept.SECOND, kept.CONCEPTS),
        *(
            "answers.sqlite",
            state.FILE,
            "graphrag/",
            f"{configurations.FOLDER}/",
            f"{documents.FOLDER}/",
            f"{trained.FOLDER}/",
            POINTER,
        ),
    }
    tables = {f"graphrag/output/{name}.parquet" for name in pipeline.TABLES}
    assert tables <= set(rows(GRAPHRAG))
    assert f"graphrag/{entity_vectors.KEPT}" in rows(GRAPHRAG)


def test_arrays_have_the_types_and_dimensions_of_the_page(generation):
    arrays = {n: kind for n, kind in rows(TEXT).items() if n.endswith(".npy")}
    sizes: dict[tuple[str, str], int] = {}
    for name, kind in arrays.items():
        dtype, _, shape = kind.partition(" ")
        array = np.load(generation / name.removeprefix("gen-N/"))
        axes = shape.strip("()").split(", ")
        assert str(array.dtype) == dtype, name
        assert array.ndim == len(axes), name
        place = name if axes[0] in ("p", "k") else name.rpartition("/")[0]
        for axis, length in zip(axes, array.shape, strict=True):
            letter, _, more = axis.partition("+")
            size = length - int(more or 0)
            assert sizes.setdefault((place, letter), size) == size, name
    assert len(arrays) > 30


def test_tables_have_the_columns_and_the_version_of_the_page(generation):
    part = TEXT.partition("Columns of the tables, in order:")[2].partition("\n### ")[0]
    told = {m[1]: re.findall(r"`(\w+)`", m[2]) for m in ROW.finditer(part)}
    assert set(told) == {file.name for file in generation.glob("*.parquet")}
    for name, columns in told.items():
        schema = pq.read_schema(generation / name)
        assert schema.names == columns, name
        assert schema.metadata[b"hdlgraph_graph"].decode() == GRAPH_SCHEMA
    assert f"`hdlgraph_graph` of the file's metadata, `{GRAPH_SCHEMA}`" in TEXT.replace("\n", " ")


def test_the_manifest_has_the_version_and_the_keys_of_the_page(folder, generation):
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["schema"] == INDEX_VERSION
    assert f"`schema` is the version of the whole folder, {INDEX_VERSION} today" in TEXT
    assert f"As long as `schema` is {INDEX_VERSION}:" in TEXT
    part = TEXT.partition("Keys for other programs:")[2].partition("\n\n")[0]
    keys = set(re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", part)))
    assert len(keys) == 8
    assert keys <= set(manifest) & set(Manifest.__struct_fields__)
    assert generation.name == f"gen-{manifest['generation']}"
    files = {f.relative_to(generation).as_posix() for f in generation.rglob("*") if f.is_file()}
    assert set(manifest["checksums"]) == files - {"lease"}


def test_lines_of_explanations_have_the_keys_of_the_page(generation):
    part = TEXT.partition("one object a line with")[2].partition(";")[0]
    keys = set(re.findall(r"`(\w+)`", part))
    lines = (generation / "explanations.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(keys) == 6
    assert all(keys <= set(json.loads(line)) for line in lines)
