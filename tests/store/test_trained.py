"""Folders of trained models: what is written is read, and what was changed is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from hdlgraph.errors import UsageError, WeightsMissingError
from hdlgraph.store.trained.folder import (
    MANIFEST,
    RERANKER,
    file_name,
    read_trained,
    read_weights,
    write_model,
)
from hdlgraph.store.trained.tensors import pack, unpack

ARRAYS = {"weights": np.asarray([1.5, -2.0], np.float32), "map": np.eye(3, dtype=np.float32)}


def test_arrays_are_read_as_they_were_written() -> None:
    data = pack(ARRAYS)
    assert data == pack(dict(reversed(ARRAYS.items())))
    found = unpack(data)
    assert sorted(found) == ["map", "weights"]
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(found[name], array)


def header(data: bytes, **entry: object) -> bytes:
    """Returns a file whose header says something else of its only array."""
    told = {"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8], **entry}}
    head = json.dumps(told).encode()
    return len(head).to_bytes(8, "little") + head + data


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00" * 8,
        b"\xff" * 16,
        b"\x02" + b"\x00" * 7 + b"{]",
        b"\x02" + b"\x00" * 7 + b"[]",
        header(b"\x00" * 8, dtype="F64"),
        header(b"\x00" * 8, shape=[3]),
        header(b"\x00" * 8, shape=[-1, -2]),
        header(b"\x00" * 8, shape=[2**62, 4]),
        header(b"\x00" * 8, data_offsets=[0, 16]),
        header(b"\x00" * 8, data_offsets=[8, 0]),
        header(b"\x00" * 4),
        header(np.asarray([1, np.nan], "<f4").tobytes()),
    ],
)
def test_what_is_no_file_of_arrays_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"no header|array 'a'"):
        unpack(data)


def test_a_model_is_written_read_and_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    assert read_trained(folder).models == {}
    first = write_model(folder, RERANKER, {"weights": ARRAYS["weights"]}, better=True, names=("a",))
    found = read_trained(folder).models[RERANKER]
    assert found == first
    weights = read_weights(folder, RERANKER, found)["weights"]
    np.testing.assert_array_equal(weights, ARRAYS["weights"])
    second = write_model(folder, RERANKER, {"weights": ARRAYS["weights"] + 1}, better=False)
    assert sorted(path.name for path in folder.iterdir()) == [second.file, MANIFEST]


def test_changed_weights_and_links_are_refused(tmp_path: Path) -> None:
    model = write_model(tmp_path, RERANKER, {"weights": ARRAYS["weights"]}, better=True)
    place = tmp_path / model.file
    data = place.read_bytes()
    place.write_bytes(data[:-1] + b"\x01")
    with pytest.raises(WeightsMissingError, match="checksum is another"):
        read_weights(tmp_path, RERANKER, model)
    place.unlink()
    with pytest.raises(WeightsMissingError, match="cannot be used"):
        read_weights(tmp_path, RERANKER, model)
    (tmp_path / "aside").write_bytes(data)
    place.symlink_to(tmp_path / "aside")
    with pytest.raises(WeightsMissingError, match="cannot be used"):
        read_weights(tmp_path, RERANKER, model)


def test_a_manifest_cannot_lead_out_of_its_folder(tmp_path: Path) -> None:
    model = write_model(tmp_path, RERANKER, {"weights": ARRAYS["weights"]}, better=True)
    manifest = tmp_path / MANIFEST
    manifest.write_text(manifest.read_text().replace(model.file, "../outside.safetensors"))
    changed = read_trained(tmp_path).models[RERANKER]
    with pytest.raises(WeightsMissingError, match="names no file of ours"):
        read_weights(tmp_path, RERANKER, changed)
    assert (
        file_name(RERANKER, "../" + "a" * 61).count("/") == 1
    )  # so it is the name that is compared


@pytest.mark.parametrize("text", ["", "[]", "{", '{"schema": 9}', '{"models": {"reranker": {}}}'])
def test_a_damaged_manifest_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(WeightsMissingError, match=MANIFEST):
        read_trained(tmp_path)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises((UsageError, WeightsMissingError), match="file"):
        write_model(tmp_path / "file", RERANKER, ARRAYS, better=True)
