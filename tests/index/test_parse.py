"""The worker pool: crashes, hangs and memory take one file, never the run."""

import msgspec
import pytest
from _parsing import DESIGNS

from hdlgraph.index.discover.files import discover
from hdlgraph.index.parse.pool import parse_all
from hdlgraph.index.parse.worker_process import WorkerProcess

pytestmark = pytest.mark.cold


def parsed(root, **kw):
    return parse_all(root, discover(root).files, **{"jobs": 2, "deadline_s": 20, **kw})


def bomb(depth=13, width=8):
    lines = ["`define A0 x"]
    lines += [f"`define A{i} " + " ".join([f"`A{i - 1}"] * width) for i in range(1, depth)]
    return "\n".join([*lines, f"module bomb; leaf u_l (.a(`A{depth - 1})); endmodule\n"])


HOSTILE = {
    "binary.sv": bytes(range(256)) * 100,
    "bomb.sv": bomb(),
    "terms.sv": "module terms(output o);\nassign o = "
    + " + ".join(["a"] * 300_000)
    + ";\nleaf u_l (.o(o));\nendmodule\n",
    "deep.sv": "module deep(output o);\nassign o = "
    + "(" * 50_000
    + "a"
    + ")" * 50_000
    + ";\nleaf u_l (.o(o));\nendmodule\n",
    "utf16.sv": "module utf16(input a);\nleaf u_l (.a(a));\nendmodule\n".encode("utf-16"),
    "self.sv": '`include "self.sv"\n`include "other.svh"\nmodule self;\nleaf u_l ();\nendmodule\n',
    "other.svh": '`include "other.svh"\n`include "other.svh"\n`include "self.sv"\n',
    "empty.sv": "",
    "nul.sv": b"module nul(input a);\n\0leaf u_l (.a(a));\nendmodule\n",
    "nested.sv": "module nested;\n"
    + "if (1) begin " * 5000
    + "leaf u_l ();"
    + " end" * 5000
    + "\nendmodule\n",
    "good.sv": "module good;\nleaf u_l ();\nendmodule\n",
}


def test_hostile_files_all_end_as_records(tmp_path):
    for name, content in HOSTILE.items():
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(data)
    records = {r.path: r for r in parsed(tmp_path, memory_mb=512)}
    assert sorted(records) == sorted(HOSTILE)
    degraded = {path for path, record in records.items() if record.degraded}
    assert degraded == {"binary.sv", "bomb.sv", "terms.sv", "deep.sv", "nested.sv"}
    assert "SIGSEGV" in records["terms.sv"].degraded
    for name in ("bomb", "terms", "deep", "utf16", "self", "nul", "nested", "good"):
        (unit,) = records[f"{name}.sv"].units
        assert unit.name == name
        assert [i.name for i in unit.instances] == ["u_l"], name


def test_a_hang_is_ended_and_the_rest_is_parsed(tmp_path):
    # Doubling includes without a guard or a circle: 2^30 headers.
    for i in range(30):
        body = f'`include "h{i + 1}.svh"\n' * 2 if i < 29 else "wire w;\n"
        (tmp_path / f"h{i}.svh").write_text(body)
    (tmp_path / "top.sv").write_text('`include "h0.svh"\nmodule top;\nleaf u_l ();\nendmodule\n')
    (tmp_path / "good.sv").write_text("module good; endmodule\n")
    sources = [s for s in discover(tmp_path).files if s.path in ("top.sv", "good.sv")]
    paths = [s.path for s in discover(tmp_path).files]
    records = parse_all(tmp_path, sources, all_paths=paths, jobs=1, deadline_s=2)
    good, top = records
    assert good.degraded == ""
    assert "exceeded 2 s" in top.degraded
    assert [i.name for i in top.units[0].instances] == ["u_l"]


def test_records_do_not_depend_on_order_or_jobs():
    first = parsed(DESIGNS, jobs=1)
    second = parsed(DESIGNS, jobs=3)
    assert msgspec.msgpack.encode(first) == msgspec.msgpack.encode(second)
    assert [r.path for r in first] == sorted(r.path for r in first)


def test_part_of_a_corpus_equals_the_whole():
    sources = discover(DESIGNS).files
    whole = {r.path: r for r in parse_all(DESIGNS, sources, jobs=1)}
    part = [s for s in sources if s.path == "fifo_bus.sv"]
    (one,) = parse_all(DESIGNS, part, all_paths=[s.path for s in sources], jobs=1)
    assert one == whole["fifo_bus.sv"]


def test_file_that_vanishes_is_a_record(tmp_path):
    (tmp_path / "a.sv").write_text("module a; endmodule\n")
    sources = discover(tmp_path).files
    (tmp_path / "a.sv").unlink()
    (record,) = parse_all(tmp_path, sources, jobs=1)
    assert record.degraded.startswith("unreadable")


def test_large_files_are_read_as_text(tmp_path):
    from hdlgraph.index.parse.one_file import Extractor
    from hdlgraph.parsers.includes import IncludeIndex

    (tmp_path / "a.v").write_text("module a;\n  leaf u_l ();\nendmodule\n")
    record = Extractor(tmp_path, IncludeIndex(["a.v"]), deep_bytes=10).extract("a.v", "", "rtl")
    assert "exceed the limit" in record.degraded
    assert record.units[0].instances[0].unit == "leaf"


def test_nothing_to_parse(tmp_path):
    assert parse_all(tmp_path, [], jobs=2) == []


def test_something_else_is_done_once_while_workers_start(tmp_path):
    (tmp_path / "a.v").write_text("module a; endmodule\n")
    sources, begun = discover(tmp_path).files, []
    (record,) = parse_all(tmp_path, sources, jobs=1, meanwhile=lambda: begun.append("begun"))
    assert [unit.name for unit in record.units] == ["a"]
    assert begun == ["begun"]
    parse_all(tmp_path, [], jobs=1, meanwhile=lambda: begun.append("for nothing"))
    assert begun == ["begun"]


def test_workers_stay_however_large_the_process_is_that_started_them(tmp_path, monkeypatch):
    for number in range(100):
        (tmp_path / f"m{number}.v").write_text(f"module m{number}; endmodule\n")
    started = []
    start = WorkerProcess.start
    monkeypatch.setattr(WorkerProcess, "start", lambda root: started.append(0) or start(root))
    large = b"x" * 400_000_000
    records = parsed(tmp_path, jobs=1)
    assert (len(records), len(started)) == (100, 1)
    assert large


@pytest.mark.parametrize(
    "answer",
    [
        b"\xa1\xff",  # a text that is none
        b"\x93\x00\xa4none\xcb" + bytes(8),  # of a file that was not given
        b"\xc1",
        b"\x90",
    ],
)
def test_an_answer_that_is_damaged_costs_a_worker_and_no_file(answer, tmp_path, monkeypatch):
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.sv").write_text(f"module {name};\nleaf u_l ();\nendmodule\n")
    receive, damaged = WorkerProcess.receive, []

    def once(self):
        is_open = receive(self)
        if not damaged and self.buffer:
            damaged.append(self)
            self.buffer[:] = len(answer).to_bytes(4, "little") + answer
        return is_open

    monkeypatch.setattr(WorkerProcess, "receive", once)
    records = parsed(tmp_path)
    assert damaged
    assert [record.path for record in records] == ["a.sv", "b.sv", "c.sv"]
    assert [unit.name for record in records for unit in record.units] == ["a", "b", "c"]


def test_a_worker_that_was_started_before_is_used_or_ended(tmp_path):
    (tmp_path / "a.sv").write_text("module a;\nleaf u_l ();\nendmodule\n")
    with WorkerProcess.early(tmp_path, wanted=True) as ready:
        (early,) = ready
        assert [record.path for record in parsed(tmp_path, ready=ready)] == ["a.sv"]
        assert ready == []
    assert early.process.returncode is not None  # 1 where it still had to say that it is idle
    with WorkerProcess.early(tmp_path, wanted=True) as ready:
        (unused,) = ready
    assert unused.process.returncode not in (None, 0)
    with WorkerProcess.early(tmp_path, wanted=False) as ready:
        assert ready == []
