"""Arrays in files: as numpy reads them, without Python's parser, and none that is damaged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from hdlgraph.safety.npy import map_array, read_array

KINDS = ("|b1", "|i1", "<i4", "<i8", "<f2", "<f4", "<f8", "<U7", ">i4")


@settings(max_examples=60, deadline=None)
@given(
    array=st.sampled_from(KINDS).flatmap(
        lambda kind: arrays.arrays(kind, arrays.array_shapes(min_dims=0, max_dims=3, min_side=0))
    ),
    fortran=st.booleans(),
)
def test_an_array_reads_as_numpy_reads_it(
    array: np.ndarray, fortran: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("npy") / "one.npy"
    np.save(file, np.asfortranarray(array) if fortran and array.ndim else array)
    for read in (map_array, read_array):
        found = read(file)
        assert type(found) is np.ndarray
        assert (found.dtype, found.shape) == (array.dtype, array.shape)
        np.testing.assert_array_equal(found, array)


def test_no_parser_of_python_reads_a_head(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "one.npy"
    np.save(file, np.arange(10))

    def refused(_: object) -> None:
        raise AssertionError("ast.literal_eval was called")

    monkeypatch.setattr("ast.literal_eval", refused)
    assert read_array(file).tolist() == map_array(file).tolist() == list(range(10))


def test_every_reader_of_an_index_uses_it() -> None:
    root = Path(__file__).parents[2] / "hdlgraph"
    own = {"index/graphrag/entity_vectors.py"}  # an archive of arrays, read by one process alone
    found = {
        file.relative_to(root).as_posix()
        for file in root.rglob("*.py")
        if "np.load(" in file.read_text(encoding="utf-8")
    }
    assert found <= own


DAMAGED = {
    "nothing": b"",
    "a head cut short": b"\x93NUM",
    "another format": b"PK\x03\x04" + bytes(200),
    "a version of the future": b"\x93NUMPY\x09\x00v\x00" + bytes(200),
    "a head without end": b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + bytes(200),
    "objects": b"\x93NUMPY\x01\x00\x76\x00"
    + b"{'descr': '|O', 'fortran_order': False, 'shape': (3,), }".ljust(117)
    + b"\n"
    + bytes(24),
    "code": b"\x93NUMPY\x01\x00\x76\x00"
    + b"{'descr': '<i8', 'fortran_order': exit(), 'shape': (3,), }".ljust(117)
    + b"\n"
    + bytes(24),
    "fewer elements than told": b"\x93NUMPY\x01\x00\x76\x00"
    + b"{'descr': '<i8', 'fortran_order': False, 'shape': (30,), }".ljust(117)
    + b"\n"
    + bytes(24),
    "more elements than a machine holds": b"\x93NUMPY\x01\x00\x76\x00"
    + b"{'descr': '<i8', 'fortran_order': False, 'shape': (999999999999999, 9), }".ljust(117)
    + b"\n"
    + bytes(24),
}


@pytest.mark.parametrize("what", DAMAGED)
def test_a_damaged_array_is_refused(what: str, tmp_path: Path) -> None:
    file = tmp_path / "one.npy"
    file.write_bytes(DAMAGED[what])
    for read in (map_array, read_array):
        with pytest.raises(ValueError, match=r"one\.npy"):
            read(file)
