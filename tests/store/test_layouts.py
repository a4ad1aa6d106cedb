"""What is written for others to read keeps its layout, or the number that names it goes up.

`layouts.txt` lists the layouts beside the numbers. Where it differs from what is written now, an
index or a file of a former version would be misread: see the message of the test.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow.parquet as pq
import pytest

from hdlgraph.eval.scores.run_json import SCHEMA as RUN_SCHEMA
from hdlgraph.eval.scores.run_records import RunFile
from hdlgraph.graph.export import SCHEMA as EXPORT_SCHEMA
from hdlgraph.graph.export import lines
from hdlgraph.model import Explanation, FileRecord
from hdlgraph.project import Project
from hdlgraph.query.design.show import SCHEMA as SHOW_SCHEMA
from hdlgraph.query.design.tree import SCHEMA as TREE_SCHEMA
from hdlgraph.store.design.elaborated import FORMAT, Configuration
from hdlgraph.store.format_version import INDEX_VERSION
from hdlgraph.store.manifest import Manifest
from hdlgraph.store.tables import GRAPH_SCHEMA

GOLDEN = Path(__file__).parent / "layouts.txt"
ADVICE = """the layout of something that is written has changed.
 1. Where a reader of the former layout would misread the new one, or the other way round, raise
    the number in the [brackets] by one: it stands under that name in the module given there.
    Keys added to the JSON of a command need no new number (docs/json.md); say them there.
 2. Then: cp {path} {golden}
"""


def fields(root: type, seen: set[type] | None = None) -> Iterator[str]:
    """Yields `Record.field: type` of a record and of those it holds, each once."""
    seen = {root} if seen is None else seen
    written = {
        name: kind
        for base in reversed(root.__mro__)
        for name, kind in inspect.get_annotations(base).items()
    }
    below: list[type] = []
    for field in msgspec.structs.fields(root):
        yield f"{root.__name__}.{field.name}: {written[field.name]}"
        below += [one for one in inside(field.type) if one not in (*seen, *below)]
    for other in below:
        if other not in seen:
            seen.add(other)
            yield from fields(other, seen)


def inside(kind: Any) -> list[type]:
    """Returns the records that a type mentions."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return [kind]
    return [one for part in getattr(kind, "__args__", ()) for one in inside(part)]


def keys(value: Any, at: str = "") -> set[str]:
    """Returns the paths of the keys of a JSON value; all entries of a list count as one."""
    if isinstance(value, dict):
        return {
            found for key in value for found in {f"{at}.{key}", *keys(value[key], f"{at}.{key}")}
        }
    if isinstance(value, list):
        return {found for one in value for found in keys(one, f"{at}[]")}
    return set()


def generation_files(folder: Path) -> Iterator[str]:
    """Yields a line on each file of a generation: its name, and what arrays it holds."""
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".npy":
            array = np.load(path, mmap_mode="r")
            yield f"{path.relative_to(folder).as_posix()}: {array.dtype.str} {array.ndim}d"
        elif path.is_file() and path.suffix != ".parquet":
            yield path.relative_to(folder).as_posix()


def columns(folder: Path) -> Iterator[str]:
    for path in sorted(folder.glob("*.parquet")):
        for field in pq.read_schema(path):
            yield f"{path.name} {field.name}: {field.type}"


def commands(project: Project) -> set[str]:
    """Returns the keys of what the commands on the design answer."""
    kinds = ("module", "file", "port", "instance", "parameter", "macro", "type")
    some = {node.kind: node.id for node in reversed(project.graph().nodes)}
    shown = [project.show(some[kind]) for kind in kinds]
    found = {f"show{one}" for answer in shown for one in keys(answer)}
    found |= {f"who{one}" for one in keys(project.who("sync_fifo"))}
    found |= {f"unresolved{one}" for one in keys(project.unresolved())}
    return found


def sections(project: Project) -> Iterator[tuple[str, Iterable[str]]]:
    (folder,) = (project.root / ".hdlgraph").glob("gen-*")
    facts = (line for record in (FileRecord, Explanation) for line in fields(record))
    store = [*facts, *fields(Manifest), *generation_files(folder)]
    yield f"INDEX_VERSION {INDEX_VERSION} of hdlgraph/store/format_version.py", store
    yield f"GRAPH_SCHEMA {GRAPH_SCHEMA} of hdlgraph/store/tables/parquet.py", columns(folder)
    yield f"FORMAT {FORMAT} of hdlgraph/store/design/elaborated.py", fields(Configuration)
    exported = json.loads("".join(lines(project.graph(), "json")))
    yield f"SCHEMA {EXPORT_SCHEMA} of hdlgraph/graph/export.py", sorted(keys(exported))
    yield f"SCHEMA {SHOW_SCHEMA} of hdlgraph/query/design/show.py", sorted(commands(project))
    levels = sorted(key for key in keys(project.tree()) if key.count(".children") < 2)
    yield f"SCHEMA {TREE_SCHEMA} of hdlgraph/query/design/tree.py", levels
    yield f"SCHEMA {RUN_SCHEMA} of eval/scores/run_json.py", fields(RunFile)


def test_layouts_are_those_of_their_numbers(soc_project: Project, tmp_path: Path) -> None:
    text = "\n".join("\n".join((f"[{name}]", *said, "")) for name, said in sections(soc_project))
    golden = GOLDEN.read_text() if GOLDEN.exists() else ""
    if text != golden:
        path = tmp_path / GOLDEN.name
        path.write_text(text)
        now, then = text.splitlines(), golden.splitlines()
        lost, new = ([one for one in a if one not in b] for a, b in ((then, now), (now, then)))
        changes = "\n".join([*(f"- {one}" for one in lost), *(f"+ {one}" for one in new)])
        pytest.fail(f"{ADVICE.format(path=path, golden=GOLDEN)}\n{changes}", pytrace=False)
