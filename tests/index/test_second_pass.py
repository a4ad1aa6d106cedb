"""The second pass: explanations with those of the neighbours in sight; a stub on loopback."""

from __future__ import annotations

import asyncio
from pathlib import Path

from _explaining import (
    GOOD,
    SOC,
    path_of,
    prompt_of,
    records_of,
    settings_for,
    written_files,
)

from hdlgraph.eval.stubs.server import Stub
from hdlgraph.index.explain.by_model.second_pass import (
    explain_with_neighbours,
    merged,
    related_files,
)
from hdlgraph.index.explain.neighbourhood import neighbourhoods
from hdlgraph.llm.client import Client
from hdlgraph.model import Explanation


def test_rewriting_shows_the_neighbours_and_loses_nothing(tmp_path):
    records = _soc()
    around = neighbourhoods(records)
    before = {
        r.path: Explanation(
            path=r.path,
            sha256=r.sha256,
            purpose=f"Purpose of {Path(r.path).stem}.",
            behaviour="First it waits. Then it works. At last it tells that it is done.",
            concepts=("first idea",),
            model="small",
        )
        for r in records
    }
    answer = {**GOOD, "purpose": "Receives bytes for the serial port.", "behaviour": "Short."}
    with Stub(lambda body: answer) as stub:
        settings = settings_for(stub)

        async def ask():
            async with Client(settings.llm) as client:
                return await explain_with_neighbours(
                    client, records, around, before, _read, settings
                )

        result = asyncio.run(ask())
        asked = {path_of(body): prompt_of(body) for body in stub.requests}
    assert "used in rtl/uart.sv: Purpose of uart." in asked["rtl/uart_rx.sv"]
    assert "contains rtl/uart_rx.sv: Purpose of uart_rx." in asked["rtl/uart.sv"]
    found = result.explanations["rtl/uart_rx.sv"]
    assert found.purpose == "Receives bytes for the serial port."
    assert found.behaviour.startswith("First it waits.")
    assert "Short." in found.behaviour
    assert found.concepts == (*GOOD["concepts"], "first idea")
    assert set(result.explanations) | set(result.skipped) == set(before)


def test_near_contents_come_before_shared_cells(tmp_path):
    cells = "".join(f"  cell_{n} u_{n} ();\n" for n in range(6))
    files = {f"lib/cell_{n}.sv": f"module cell_{n};\nendmodule\n" for n in range(6)}
    files["ip/core.sv"] = "module core;\nendmodule\n"
    files["ip/top.sv"] = f"module top;\n{cells}  core u_core ();\nendmodule\n"
    records = written_files(tmp_path, files)
    found = related_files(records, neighbourhoods(records))
    assert found["ip/top.sv"][0] == ("contains", "ip/core.sv")
    assert len(found["ip/top.sv"]) == 4
    assert found["ip/core.sv"] == (("used in", "ip/top.sv"),)


def test_classes_know_their_bases_and_heirs(tmp_path):
    records = written_files(
        tmp_path,
        {
            "base.sv": "class base_seq;\nendclass\n",
            "more.sv": "class more_seq extends base_seq;\nendclass\n",
        },
    )
    found = related_files(records, neighbourhoods(records))
    assert found == {"base.sv": (("extended by", "more.sv"),), "more.sv": (("extends", "base.sv"),)}


def test_merging_takes_the_longer_new_text():
    first_one = Explanation(path="a", purpose="Counts.", behaviour="Old words here.")
    second = Explanation(path="a", purpose="Counts all events.", behaviour="New and longer words.")
    assert merged(first_one, second).behaviour == "New and longer words."


def _soc():
    return records_of(SOC)


def _read(path: str) -> str:
    return (SOC / path).read_text(encoding="utf-8")
