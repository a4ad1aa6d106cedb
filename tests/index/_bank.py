"""A bank of small files for tests of indexing with a model, and the stub's explanations of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hdlgraph.eval.stubs.server import Stub
from hdlgraph.project import Project
from hdlgraph.results import IndexReport

FILES = 20
MODEL = "stub-model"
SETTINGS = """
hdlgraph:
  llm:
    provider: openai
    base_url: {url}
    build_model: stub-model
    concurrency: {concurrency}
    retries: {retries}
    build_input_price: {input_price}
    build_output_price: {output_price}
"""


def explanation(body: dict[str, Any]) -> dict[str, Any]:
    """Returns what a model might say; the name of the module is in it, and one it made up."""
    text = body["messages"][-1]["content"]
    if '"links"' in json.dumps(body.get("response_format", {})):
        numbers = range(1, text.count("<file ") + 1)
        idea = {"concept": "lane control", "description": "", "element": "", "relation": ""}
        return {"files": [{"file": n, "concepts": [idea]} for n in numbers], "links": []}
    name = next(word for word in text.split() if word.startswith("lane_"))
    return {
        "purpose": f"Written by a model for `{name}` which drives one lane of the bank.",
        "behaviour": "It adds the two operands. It raises `made_up_flag_q` in the end.",
        "interfaces": "",
        "parameters": "",
        "instances": "",
        "concepts": ["lane of a bank"],
    }


def write_bank(root: Path) -> None:
    """Writes a repository of small files, each different; the first four are a chain."""
    (root / "rtl").mkdir(parents=True)
    for n in range(FILES):
        lines = [
            f"// Lane {n} of the bank.",
            f"module lane_{n:02} (input a, output b);",
            f"  assign b = a ^ 1'd{n % 2};",
            *([f"  lane_{n + 1:02} below (.a(a), .b());"] if n < 3 else []),
            "endmodule",
        ]
        (root / f"rtl/lane_{n:02}.v").write_text("\n".join(lines) + "\n")


def settings(
    tmp_path: Path,
    stub: Stub,
    *,
    concurrency: int = 4,
    prices: tuple[Any, Any] = (1.0, 4.0),
    retries: int = 8,
) -> Path:
    path = tmp_path / "llm.yaml"
    values = {"input_price": prices[0], "output_price": prices[1], "retries": retries}
    path.write_text(SETTINGS.format(url=stub.base_url, concurrency=concurrency, **values))
    return path


def index(root: Path, file: Path, **options: Any) -> IndexReport:
    options = {"explain": "model", **options}
    return Project(root, settings=file).index(embeddings=False, graphrag="never", jobs=1, **options)


def writers(root: Path) -> dict[str, int]:
    return Project(root).status()["writers"]
