"""Reads and writes arrays as safetensors, the part of that format that trained models need.

Eight bytes tell the length of a JSON header, which has the shape and place of each array; then come
the arrays (https://github.com/huggingface/safetensors, section Format). Nothing in it can be run.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    import numpy as np

HEADER = 1_000_000
"""Bytes of the longest header that is read."""
TYPE = "F32"


class _Entry(msgspec.Struct):
    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


def pack(arrays: Mapping[str, np.ndarray]) -> bytes:
    """Returns arrays as the bytes of a file, float32 each, sorted by name."""
    import numpy as np

    header: dict[str, dict[str, object]] = {}
    parts, at = [], 0
    for name in sorted(arrays):
        data = np.ascontiguousarray(arrays[name], "<f4").tobytes()
        place = [at, at + len(data)]
        header[name] = {"dtype": TYPE, "shape": list(arrays[name].shape), "data_offsets": place}
        parts.append(data)
        at += len(data)
    head = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)
    return b"".join([len(head).to_bytes(8, "little"), head, *parts])


def unpack(data: bytes) -> dict[str, np.ndarray]:
    """Returns the arrays of a file by name, float32.

    Raises:
        ValueError: it is not such a file, or an array is not finite.
    """
    import numpy as np

    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or not 0 < length <= min(HEADER, len(data) - 8):
        raise ValueError("no header of safetensors")
    try:
        header = msgspec.json.decode(data[8 : 8 + length], type=dict[str, msgspec.Raw])
        header.pop("__metadata__", None)
        entries = {name: msgspec.json.decode(raw, type=_Entry) for name, raw in header.items()}
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise ValueError(f"no header of safetensors ({error})") from error
    body, found = memoryview(data)[8 + length :], {}
    for name, entry in entries.items():
        begin, end = entry.data_offsets
        fits = 0 <= begin <= end <= len(body) and all(side >= 0 for side in entry.shape)
        if entry.dtype != TYPE or not fits or end - begin != 4 * math.prod(entry.shape):
            raise ValueError(f"array {name[:80]!r} has another type or size than it says")
        array = np.frombuffer(body[begin:end], "<f4").reshape(entry.shape).astype(np.float32)
        if not np.isfinite(array).all():
            raise ValueError(f"array {name[:80]!r} holds what is no number")
        found[name] = array
    return found
