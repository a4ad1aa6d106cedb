"""Spoilt RTL: the short form of the campaign, and what holds for any bytes."""

from __future__ import annotations

import re
import time
from random import Random

import msgspec
import pytest
from campaigns import mutants
from campaigns.mutators import MOST_BYTES, MUTATORS, mutant
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hdlgraph.model import Unit
from hdlgraph.parsers.filelist_words import words
from hdlgraph.parsers.finish import Enclosing
from hdlgraph.parsers.text.fallback import floor_record
from hdlgraph.parsers.text.inventory import take_inventory
from hdlgraph.safety.printable import visible

SEED = b"module m(input a);\n  wire [3:0] w = 4'd1; sub #(.P(2)) u(.a(a)); // note\nendmodule\n"
QUICK = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)


def test_every_run_over_mutants_ends_and_tells_every_file(tmp_path, monkeypatch):
    monkeypatch.setenv(mutants.FOLDER_VARIABLE, str(mutants._DESIGNS))
    monkeypatch.setattr(mutants, "DEADLINE_S", 2.0)
    (outcome,) = mutants.run(24, tmp_path, 3)
    assert outcome.tried == 24
    assert outcome.failures == ()


def test_the_campaign_sees_harm(tmp_path):
    """What it would report: a file left out, a file that took too long, a run that broke off."""
    (tmp_path / ".hdlgraph").mkdir()
    (tmp_path / ".hdlgraph/manifest.json").write_text('{"files": {"a.v": []}}')
    (tmp_path / "times.json").write_text('[["a.v", 9.0]]')
    report = '{"files": 1, "degraded": [], "failed": []}'
    batch = mutants.judge(tmp_path, {"a.v": "flip", "b.v": "nest"}, 0, report, "")
    assert batch.failures == (
        "b.v (nest): not in the manifest",
        "1 of 2 files reported",
        "a.v (flip): 9.0 s of 5 s",
    )
    assert mutants.judge(tmp_path, {}, -11, report, "x").failures == ("exit code -11: x",)


@pytest.mark.parametrize("mutator", MUTATORS, ids=lambda one: one.__name__)
def test_mutants_are_made_again_by_their_seed(mutator):
    first, second = (mutator(SEED, SEED[::-1], Random(5)) for _ in range(2))
    assert first == second
    assert mutator(b"", b"", Random(1)) is not None


@QUICK
@given(seed=st.integers(), data=st.binary(max_size=400) | st.just(SEED))
def test_text_of_any_bytes_gives_a_record(seed, data):
    spoilt, _ = mutant(data, SEED, Random(seed))
    assert len(spoilt) <= MOST_BYTES
    spoilt = spoilt[:60_000]
    record = floor_record(take_inventory("m.sv", spoilt))
    msgspec.json.encode(record)
    last = max(record.n_lines, 1) + 1
    assert all(1 <= unit.line <= unit.end_line <= last for unit in record.units)


@QUICK
@given(st.text())
def test_any_text_is_shown_on_one_line(text):
    shown = visible(text)
    shown.encode()
    assert len(shown.splitlines()) <= 1
    assert visible(shown) == shown
    words(text)


@QUICK
@given(st.lists(st.tuples(st.integers(1, 12), st.integers(-1, 6)), max_size=12), st.integers(0, 20))
def test_the_unit_around_a_line(spans, line):
    units = [Unit(kind="module", name="m", line=at, end_line=at + n) for at, n in spans]
    around = [
        (unit.end_line - unit.line, -i)
        for i, unit in enumerate(units)
        if unit.line <= line <= unit.end_line
    ]
    assert Enclosing(units).at(line) == (-min(around)[1] if around else -1)


def test_many_small_modules_are_scanned_in_time():
    line = "// c\nmodule m%d(input a);\n leaf u(.a(a));\nendmodule\n"
    data = "".join(line % n for n in range(20_000)).encode()
    started = time.process_time()
    record = floor_record(take_inventory("m.v", data))
    assert time.process_time() - started < 8
    assert len(record.units) == 20_000
    assert record.units[0].instances


@pytest.mark.parametrize("blank", [" ", "\t", "\n", "(", "`", "*", "//", "\\ ", "#(", "a ", '"'])
def test_time_grows_with_the_length(blank):
    """Twice the text may take twice the time, not four times."""
    spent = []
    for count in (100_000, 200_000):
        data = b"module m;\n" + blank.encode() * count + b"\nendmodule\n"
        started = time.process_time()
        floor_record(take_inventory("m.v", data))
        spent.append(time.process_time() - started)
    assert spent[1] < 3 * spent[0] + 0.5


def test_mutators_have_distinct_names():
    names = [one.__name__ for one in MUTATORS]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z_]+", name) for name in names)
