"""Every file that a model is loaded from is the expected one, or is not loaded."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from hdlgraph.errors import WeightsMissingError
from hdlgraph.index.embed import embedder
from hdlgraph.index.embed.embedder import load_embedder, weights_folder
from hdlgraph.index.embed.token_vectors import load_token_encoder
from hdlgraph.settings.records import EmbeddingSettings, Settings

MODELS = ("bge_small_en", "colbert")


def swapped(tokenizer: Path) -> None:
    """Swaps two words of a tokeniser: it still loads, and reads one as the other."""
    data = json.loads(tokenizer.read_text("utf-8"))
    words = data["model"]["vocab"]
    words["clock"], words["reset"] = words["reset"], words["clock"]
    tokenizer.write_text(json.dumps(data, ensure_ascii=False), "utf-8")


@pytest.fixture
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copies of both models, which are taken for the installed ones."""
    for model in MODELS:
        shutil.copytree(weights_folder(model), tmp_path / model)
    monkeypatch.setattr(embedder, "weights_folder", lambda model=MODELS[0]: tmp_path / model)
    return tmp_path


def test_a_foreign_tokeniser_is_refused(copies: Path) -> None:
    load_embedder(Settings())
    load_token_encoder()
    for model in MODELS:
        swapped(copies / model / "tokenizer.json")
    with pytest.raises(WeightsMissingError, match=r"bge_small_en/tokenizer\.json: sha256.*install"):
        load_embedder(Settings())
    with pytest.raises(WeightsMissingError, match=r"colbert/tokenizer\.json: sha256.*install"):
        load_token_encoder()


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_one_changed_byte_is_seen(copies: Path, name: str) -> None:
    for model in MODELS:
        with (copies / model / name).open("r+b") as file:
            file.seek(-100, 2)
            byte = file.read(1)
            file.seek(-100, 2)
            file.write(bytes([byte[0] ^ 1]))
    for load in (lambda: load_embedder(Settings()), load_token_encoder):
        with pytest.raises(WeightsMissingError, match=f"{name}: sha256"):
            load()


def test_vectors_of_another_tokeniser_have_another_name(copies: Path) -> None:
    """A folder of one's own has no expected checksum: what was embedded otherwise does not mix."""
    settings = EmbeddingSettings(provider="onnx", path=str(copies / "bge_small_en"))
    before = load_embedder(settings)
    swapped(copies / "bge_small_en" / "tokenizer.json")
    after = load_embedder(settings)
    assert before is not None
    assert after is not None
    assert before.name != after.name
