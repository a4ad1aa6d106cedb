"""Which files may be called a well-known structure: only where several signs agree."""

import numpy as np
import pytest

from hdlgraph.index.embed.structure_claims import claims
from hdlgraph.knowledge.structures import Structure
from hdlgraph.model import FileRecord, Port, Unit

SHA256 = Structure(
    "SHA-256 core",
    ("SHA-256 core", "sha256", "sha core"),
    ("compresses a message into a digest by rounds over a schedule",),
)
DECODER = Structure(
    "address decoder",
    ("address decoder", "decoder", "addr dec"),
    ("compares an address with ranges and selects the device meant",),
)
ROUNDING = Structure(
    "rounding unit", ("rounding unit", "round"), ("picks the nearest result and normalises it",)
)
BENCH = Structure(
    "testbench", ("testbench", "tb"), ("instantiates the design and applies stimuli",)
)
KNOWN = (SHA256, DECODER, ROUNDING, BENCH)


def record(path, header="", ports=(), role="rtl"):
    name = path.rsplit("/", 1)[-1].split(".")[0]
    made = tuple(Port(port, "input", "logic", 2) for port in ports)
    unit = Unit("module", name, 1, 9, ports=made)
    return FileRecord(path, "0" * 64, role, "verilog", 10, 9, "utf-8", header=header, units=(unit,))


def called(*records):
    strength = np.ones((len(KNOWN), len(records)), np.float32)
    found = claims(records, KNOWN, strength, 0.75)
    return [[s.name for s, yes in zip(KNOWN, column, strict=True) if yes] for column in found.T]


ROUNDS = "One round of the schedule; the digest of the message is in the last."


@pytest.mark.parametrize(
    ("made", "names"),
    [
        (record("sha256_core.v", ROUNDS), ["SHA-256 core"]),
        (record("sha512_core.v", ROUNDS), []),  # another number
        (record("sha256_core.v"), []),  # nothing but the name says so
        (record("sha256_key_mem.v", ROUNDS), []),  # a part of one
        (record("pkg/sha256_core.sv", ROUNDS, role="package"), []),
        (record("addr_decoder.v", "Selects one of the ranges."), ["address decoder"]),
        (record("alert_decoder.v", "Selects one of the ranges."), []),
        (record("decoder.v", "Decodes instructions, selects ranges of bits."), []),
        (record("decoder.v", "The address decoder: selects ranges."), ["address decoder"]),
        (record("round.v", "Picks the nearest and normalises."), []),  # a round of a cipher
        (record("rounding.v", "Picks the nearest and normalises."), ["rounding unit"]),
        (record("tb.v", "Applies stimuli to the design.", role="testbench"), ["testbench"]),
        (record("tb.v", "Applies stimuli to the design."), []),
    ],
)
def test_only_where_several_signs_agree(made, names):
    assert called(made) == [names]


def test_declared_names_are_signs_too():
    ports = ("message_valid", "digest_o")
    assert called(record("sha256_core.v", ports=ports)) == [["SHA-256 core"]]


def test_the_prefix_of_a_family_is_no_word_of_the_name():
    family = [record(f"acme_{name}.v") for name in ("fifo", "timer")]
    decoder = record("acme_addr_decoder.v", "Selects one of the ranges.")
    assert called(decoder) == [[]]
    assert called(*family, decoder)[-1] == ["address decoder"]
