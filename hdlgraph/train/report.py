"""What a training did, as text and JSON."""

from __future__ import annotations

from typing import Any

import msgspec

from hdlgraph.train.judging import KS, Compared

EMBEDDER = "embedder"
"""The kind of a model that was fine-tuned as a whole; its file is a folder."""
TOKEN_ENCODER = "token-encoder"
"""The same for the model of token vectors."""
NAMED = {
    EMBEDDER: ("embedding.path", "embedding.provider: onnx, embedding.path: "),
    TOKEN_ENCODER: ("embedding.token_path", "embedding.token_path: "),
}
"""The setting that names the folder of such a model, and what to write to use it."""


class Trained(msgspec.Struct, frozen=True):
    """One model: whether it was judged better, by what, its file, how many pairs it learnt from.

    `unknown` are the lines of pairs that name nothing of the index.
    """

    kind: str
    better: bool
    compared: tuple[Compared, ...]
    file: str
    used: int
    unknown: tuple[int, ...] = ()


class TrainingReport(msgspec.Struct, frozen=True):
    """The models of one run, and the folder that they were written into."""

    models: tuple[Trained, ...]
    folder: str
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object."""
        models = [
            {
                "kind": one.kind,
                "better": one.better,
                "file": one.file,
                "used": one.used,
                "unknown": list(one.unknown),
                "judged": [found.to_dict() for found in one.compared],
            }
            for one in self.models
        ]
        return {"schema": 1, "folder": self.folder, "models": models, "notes": list(self.notes)}

    def to_text(self) -> str:
        """Returns tables of before and after, and what to do to use what is better."""
        lines = [line for one in self.models for line in _table(one)]
        lines += self.notes
        if any(one.better and one.kind not in NAMED for one in self.models):
            lines.append(
                f"to use what is better, set in your settings file: trained.path: {self.folder}"
            )
        lines += [
            f"to use it, set in your settings file: {NAMED[one.kind][1]}{self.folder}/{one.file}; "
            "then index again"
            for one in self.models
            if one.better and one.kind in NAMED
        ]
        return "\n".join(lines)


MAX_SHOWN = 5
"""Lines of unknown pairs that are named."""


def _table(one: Trained) -> list[str]:
    head = "".join(f"{f'@{k}':>15}" for k in KS)
    lines = [f"{one.kind}: {one.used} learnt from; questions not trained on, before > after"]
    lines.append(f"  {'':16}{'questions':>10}{head}{'MRR':>15}{'p':>8}")
    for found in one.compared:
        cells = "".join(f"{_change(found.recall(k)):>15}" for k in KS)
        row = f"  {found.name:16}{len(found.before):>10}{cells}{_change(found.mrr):>15}"
        lines.append(f"{row}{_number(found.p):>8}")
    named = NAMED.get(one.kind, ("trained.path",))[0]
    verdict = f"better: used where {named} names its folder"
    lines.append(f"  {verdict if one.better else 'not better: written, and never used'}")
    if one.unknown:
        more = ", ..." if one.unknown[MAX_SHOWN:] else ""
        first = ", ".join(map(str, one.unknown[:MAX_SHOWN]))
        lines.append(f"  {len(one.unknown)} pairs name nothing of the index: line {first}{more}")
    return lines


def _change(pair: tuple[float, float]) -> str:
    return " > ".join(_number(value) for value in pair)


def _number(value: float) -> str:
    text = f"{value:.3f}"
    return text.removeprefix("0") if text.startswith("0.") else text
