"""A top of tens of thousands of instances: its level comes in pages, its graph has a limit."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hdlgraph.project import Project
from hdlgraph.project.resident import Resident

INSTANCES = 32_000
CELLS, UNITS = 24_000, 8_000
ANSWER_BYTES = 200_000


def design() -> Iterator[str]:
    """Yields the source: a top with 24,000 cells of a library and 8,000 instances of 400 units."""
    yield "module cell_inv (input a, output y); assign y = ~a; endmodule\n"
    for user in range(12):  # used all over the design
        yield f"module user{user} (input a); cell_inv u_c (.a(a), .y()); endmodule\n"
    for unit in range(400):
        yield f"module block{unit} (input clk, output q); cell_inv u_c (.a(clk), .y(q)); endmodule\n"
    yield "module wide_top (input clk);\n"
    for number in range(CELLS):
        yield f"cell_inv u_inv{number} (.a(clk), .y(n{number % 50}));\n"
    for number in range(UNITS):
        yield f"block{number % 400} u_block{number} (.clk(clk), .q());\n"
    yield "endmodule\n"


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Resident:
    root = tmp_path_factory.mktemp("wide")
    (root / "wide_top.sv").write_text("".join(design()))
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    resident = Resident(root)
    resident.warm()
    return resident
