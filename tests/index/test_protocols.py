"""A bus is recognised by all its ports and their directions, never by one name."""

from __future__ import annotations

import pytest

from hdlgraph.index.explain.by_rules.protocols import port_groups
from hdlgraph.model import Port


def groups(text: str) -> set[tuple[str, str]]:
    """Returns (protocol, side) of ports written as "<name" (input), ">name" or ">name[7:0]"."""
    ports = []
    for word in text.split():
        name, bracket, width = word[1:].partition("[")
        way = "input" if word[0] == "<" else "output"
        ports.append(Port(name, way, f"logic {bracket}{width}".strip(), 1))
    return {(group.protocol, group.side) for group in port_groups(tuple(ports))}


IS = {
    "UART lines": ("<rxd >txd", ""),
    "Ethernet media-independent interface (MII)": (">txd[3:0] >tx_en <rxd[3:0] <rx_dv", ""),
    "serial peripheral (SPI) lines": (">sck >csb >sd[3:0]", "host side"),
    "memory (SRAM) port": ("<addr_i[9:0] <we_i <wdata_i[31:0] >rdata_o[31:0]", "target"),
    "AXI bus": (">m_awvalid <m_awready >m_wvalid", "initiator"),
    "valid/ready handshake": ("<in_valid >in_ready", "receiver"),
    "TileLink bus": (">a_valid >a_opcode[2:0] <d_valid <d_opcode[2:0]", "initiator"),
    "JTAG test port": ("<tck <tms <tdi >tdo", "chip side"),
}


@pytest.mark.parametrize("protocol", sorted(IS))
def test_a_whole_set_of_ports_is_a_protocol(protocol: str) -> None:
    ports, side = IS[protocol]
    assert (protocol, side) in groups(ports)


IS_NOT = {
    "UART lines": ("<rx >tx", "<rxd[7:0] >txd[7:0]", ">txd >tx_en <rxd <rx_dv", "<rxd"),
    "serial peripheral (SPI) lines": ("<sck <csb",),
    "memory (SRAM) port": ("<addr[9:0] <wdata[31:0] >rdata[31:0]", "<data"),
    "AXI4-Lite bus": ("<awvalid >awready <awlen[7:0] <wvalid >bvalid <arvalid <wlast <rvalid",),
    "valid/ready handshake": (">a_valid >a_ready", "<valid"),
    "AXI bus": ("<arvalid <arready",),
}


@pytest.mark.parametrize("protocol", sorted(IS_NOT))
def test_a_part_of_it_proves_nothing(protocol: str) -> None:
    for ports in IS_NOT[protocol]:
        assert protocol not in {name for name, _ in groups(ports)}, ports


def test_who_sees_both_ends_only_observes() -> None:
    assert groups("<s_valid <s_ready") == {("valid/ready handshake", "observer")}
