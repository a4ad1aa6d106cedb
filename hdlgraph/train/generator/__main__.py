"""Tunes a language model on what `hdlgraph train export` wrote, and judges it.

    python -m hdlgraph.train.generator EXPORT --model MODEL.gguf|FOLDER --out DIR

writes `DIR/adapter`, the whole model as `DIR/model.gguf` or `DIR/model`, and `DIR/tuned.json` with
the loss on the files that were kept apart, before and after each part.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hdlgraph.errors import UsageError, telling_errors
from hdlgraph.train.generator.recipe import Recipe, check_libraries


@telling_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns 0, 2 on wrong use."""
    usual = Recipe()
    parser = argparse.ArgumentParser("python -m hdlgraph.train.generator", description=__doc__)
    parser.add_argument("export", type=Path, help="what `hdlgraph train export` wrote")
    parser.add_argument("--model", type=Path, required=True, help="a GGUF, or a folder")
    parser.add_argument("--out", type=Path, required=True, help="where the model goes")
    for name in ("rank", "alpha", "tokens", "batch", "pretrain", "chat", "valid", "seed"):
        parser.add_argument(f"--{name}", type=int, default=getattr(usual, name))
    parser.add_argument("--rate", type=float, default=usual.rate)
    parser.add_argument("--no-four-bit", dest="four_bit", action="store_false", help="plain LoRA")
    given = vars(parser.parse_args(arguments))
    export, model, out = (given.pop(key) for key in ("export", "model", "out"))
    about = tune(export, model.expanduser(), out.expanduser(), Recipe(**given))
    for one in about["parts"]:
        sys.stdout.write(f"{one['part']}: {one['steps']} steps, {one['tokens']} tokens; loss on\n")
        for part, before in one["before"].items():
            sys.stdout.write(f"  {part} kept apart: {before} > {one['after'][part]}\n")
    sys.stdout.write(f"{about['model']}\n")
    return 0


def tune(export: Path, model: Path, out: Path, recipe: Recipe) -> Mapping[str, Any]:
    """Tunes a model, writes it and returns what `tuned.json` says.

    Args:
        export: the folder of `hdlgraph train export`.
        model: a file of GGUF, or a folder of transformers.
        out: made where it is missing.
        recipe: how.

    Raises:
        UsageError: the export or the model cannot be used, or a library is missing.
    """
    if not model.exists():
        raise UsageError(f"--model {model}: no such file or folder")
    check_libraries()
    os.environ["HF_HUB_OFFLINE"] = "1"  # a local file may name a hub that is not asked
    from hdlgraph.train.generator.merged import write_folder, write_gguf
    from hdlgraph.train.generator.qlora import Learner

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out {out}: cannot be made ({error.strerror})") from error
    learner = Learner(model, recipe)
    parts = learner.learn(export, _report)
    learner.save_adapter(out / "adapter")
    if model.is_file():
        made = write_gguf(model, learner.weights(), out / "model.gguf")
    else:
        made = write_folder(model, out / "adapter", out / "model", recipe.four_bit)
    about = {"schema": 1, "model": made.name, "recipe": asdict(recipe), "parts": parts}
    (out / "tuned.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return about


def _report(part: str, done: int, total: int) -> None:
    sys.stderr.write(f"{part} {done}/{total}\n")


if __name__ == "__main__":
    raise SystemExit(main())
