"""Helpers of the tests about explanations by a model: records of designs, and a stub to ask."""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hdlgraph.eval.stubs.server import Stub
from hdlgraph.index.explain.by_model.first_pass import Outcome, explain_files
from hdlgraph.index.explain.neighbourhood import neighbourhoods
from hdlgraph.index.parse.one_file import Extractor
from hdlgraph.llm.answers import AnswerStore
from hdlgraph.llm.client import Client
from hdlgraph.model import FileRecord
from hdlgraph.parsers.includes import IncludeIndex
from hdlgraph.settings.records import Settings

SOC = Path(__file__).parents[1] / "designs" / "soc"
PURPOSE = "Takes part in moving bytes between the processor and the outside world."
GOOD = {
    "purpose": PURPOSE,
    "behaviour": "Waits for a request, then serves it. A reset brings it back to waiting.",
    "interfaces": "A clock, a reset and a bus.",
    "parameters": "",
    "instances": "",
    "concepts": ["serial communication", "flow control"],
}

OPERATORS = ["+", "-", "^", "&", "|", "~^", "<<", ">>", "*"]


def _step(n: int) -> str:
    """Returns a process that is shaped unlike the others, so that none is taken for a table."""
    signs = OPERATORS[: 2 + n % 7]
    lines = [f"      value_{n}_q <= other_{n} {sign} mask_{n}_i;" for sign in signs]
    lines.insert(n % 3, f"      if (go_{n}[{n}]) count_{n}_q <= {{count_{n}_q, {n}'b0}};")
    return "\n".join(
        [
            "",
            f"  // Step {n}: the value is turned by {n} places.",
            f"  always_ff @(posedge clk_i) begin : step_{n}",
            *lines,
            "  end",
        ]
    )


BIG = "\n".join(map(_step, range(1, 61)))
BIG_FILE = f"// Turns words in many steps.\nmodule turner (input logic clk_i);\n{BIG}\nendmodule\n"


def records_of(folder: Path) -> list[FileRecord]:
    """Returns the facts of all Verilog files below a folder."""
    paths = sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.suffix in (".sv", ".v", ".svh", ".vh")
    )
    extractor = Extractor(folder, IncludeIndex(paths))
    out = []
    for path in paths:
        sha256 = hashlib.sha256((folder / path).read_bytes()).hexdigest()
        role = "testbench" if path.startswith("dv/") else "rtl"
        out.append(extractor.extract(path, sha256, role))
    return out


def written_files(folder: Path, files: Mapping[str, str]) -> list[FileRecord]:
    """Writes files under a folder and returns their facts."""
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return records_of(folder)


def settings_for(stub: Stub, *, explain: Mapping[str, Any] | None = None, **llm: Any) -> Settings:
    """Returns settings whose endpoint is the stub."""
    base = Settings()
    llm = {"provider": "openai", "base_url": stub.base_url, "build_model": "small", **llm}
    return dataclasses.replace(
        base,
        llm=dataclasses.replace(base.llm, **llm),
        explain=dataclasses.replace(base.explain, **(explain or {})),
    )


def write(
    stub: Stub,
    folder: Path,
    settings: Settings | None = None,
    store: Path | None = None,
    records: list[FileRecord] | None = None,
    **how: Any,
) -> Outcome:
    """Has the files of a folder explained by the stub, over HTTP."""
    settings = settings or settings_for(stub)
    records = records_of(folder) if records is None else records

    async def ask() -> Outcome:
        answers = AnswerStore(store) if store else None
        async with Client(settings.llm, answers) as client:
            return await explain_files(
                client, records, neighbourhoods(records), reader(folder), settings, **how
            )

    return asyncio.run(ask())


def reader(folder: Path) -> Callable[[str], str]:
    """Returns what reads a path below a folder."""
    return lambda path: (folder / path).read_text(encoding="utf-8", errors="replace")


def prompt_of(body: dict[str, Any]) -> str:
    """Returns the last message of a request."""
    text: str = body["messages"][-1]["content"]
    return text


def path_of(body: dict[str, Any]) -> str:
    """Returns the file that a request is about."""
    text: str = body["messages"][0]["content"]
    return text.rpartition("<facts>\nfile: ")[2].partition("\n")[0]
