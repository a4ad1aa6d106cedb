"""Whole records of small designs against golden files.

HDLGRAPH_WRITE_GOLDEN=1 writes them anew; read the difference before committing it.
"""

import json
import os
from pathlib import Path

import msgspec
import pytest
from _parsing import design

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.mark.parametrize("name", ["fifo_bus.sv", "fifo_defs.svh", "timer.v"])
def test_record_equals_the_golden_one(name):
    record = msgspec.structs.replace(design(name), flows=())  # bytes; test_flow.py looks at them
    found = json.dumps(msgspec.to_builtins(record), indent=1, ensure_ascii=False) + "\n"
    golden = GOLDEN / f"{name}.json"
    if os.environ.get("HDLGRAPH_WRITE_GOLDEN"):
        golden.write_text(found, encoding="utf-8")
    assert found == golden.read_text(encoding="utf-8")
