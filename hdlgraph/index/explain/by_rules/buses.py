"""The table of buses and handshakes: which ports together make one, and which deny it."""

from __future__ import annotations

from typing import NamedTuple


class Bus(NamedTuple):
    """A protocol: `needs` all stand as the last part of names with one common prefix.

    `initiator` is the signal that whoever starts a transfer drives, `answer` one that the other
    side drives. Of `also` one has to be there besides, of `unless` none, all with that prefix.
    `single` says that the lines of `needs` are one bit wide.
    """

    name: str
    needs: tuple[str, ...]
    initiator: str = ""
    sides: tuple[str, str] = ("initiator", "target")
    answer: str = ""
    also: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    single: bool = False


_SPI_DATA = ("mosi", "miso", "sdi", "sdo", "sd", "si", "so", "dq", "io0", "sdin", "sdout")
_ENDS = ("sender", "receiver")
_PHYSICAL = (
    *("tx_en", "tx_er", "rx_dv", "rx_er", "tx_ctl", "rx_ctl", "txen", "rxdv", "txctl", "rxctl"),
    *("crs", "col", "crs_dv"),
)

BUSES = (
    Bus(
        "AXI4 bus",
        ("awvalid", "awready", "awlen", "wlast", "arvalid", "rvalid"),
        "awvalid",
        answer="awready",
    ),
    Bus(
        "AXI4-Lite bus",
        ("awvalid", "awready", "wvalid", "bvalid", "arvalid"),
        "awvalid",
        answer="awready",
        unless=("awlen", "arlen", "wlast"),
    ),
    Bus("AXI bus", ("arvalid", "arready", "rvalid"), "arvalid", answer="arready"),
    Bus("AXI bus", ("awvalid", "awready", "wvalid"), "awvalid", answer="awready"),
    Bus("AXI stream", ("tvalid", "tready", "tdata"), "tvalid", ("source", "sink"), "tready"),
    Bus("AHB bus", ("haddr", "htrans", "hwrite"), "haddr"),
    Bus("APB bus", ("psel", "penable", "pwrite"), "psel"),
    Bus(
        "Avalon memory-mapped bus", ("address", "read", "waitrequest"), "read", answer="waitrequest"
    ),
    Bus(
        "TileLink bus", ("a_valid", "a_opcode", "d_valid", "d_opcode"), "a_valid", answer="d_valid"
    ),
    Bus("Wishbone bus", ("cyc", "stb", "ack"), "cyc", answer="ack"),
    Bus("Wishbone bus", ("adr", "cyc", "ack"), "cyc", answer="ack"),
    Bus("simple bus", ("adr", "stb", "ack"), "stb", answer="ack"),
    Bus(
        "JTAG test port", ("tck", "tms", "tdi", "tdo"), "tdi", ("debugger side", "chip side"), "tdo"
    ),
    Bus(
        "request/grant memory interface with read-valid response",
        ("req", "gnt", "rvalid"),
        "req",
        answer="gnt",
    ),
    Bus(
        "debug module interface",
        ("dmi_req_valid", "dmi_req_ready"),
        "dmi_req_valid",
        answer="dmi_req_ready",
    ),
    Bus(
        "serial peripheral (SPI) lines",
        ("sck", "csb"),
        "sck",
        ("host side", "device side"),
        also=_SPI_DATA,
    ),
    Bus("serial peripheral (SPI) lines", ("sclk", "mosi", "miso"), "sclk"),
    Bus("serial peripheral (SPI) lines", ("sck", "mosi", "miso"), "sck"),
    Bus("serial peripheral (SPI) lines", ("flash_clk", "flash_csb"), "flash_clk"),
    Bus("I2C lines", ("scl", "sda")),
    Bus("Ethernet media-independent interface (MII)", ("txd", "rxd"), also=_PHYSICAL),
    Bus("UART lines", ("txd", "rxd"), "txd", ("", ""), "rxd", unless=_PHYSICAL, single=True),
    Bus("UART lines", ("uart_tx", "uart_rx"), single=True),
    Bus("USB lines", ("usb_dp", "usb_dn")),
    Bus("differential pair", ("p", "n")),
    Bus("memory (SRAM) port", ("addr", "wdata", "rdata", "we"), "addr", answer="rdata"),
    Bus("memory (SRAM) port", ("addr", "din", "dout", "we"), "addr", answer="dout"),
    Bus("valid/ready handshake", ("valid", "ready"), "valid", _ENDS, "ready"),
    Bus("valid/ready handshake", ("vld", "rdy"), "vld", _ENDS, "rdy"),
    Bus("valid/ready handshake", ("v", "ready"), "v", _ENDS, "ready"),
    Bus("valid/yumi handshake", ("v", "yumi"), "v", _ENDS, "yumi"),
    Bus("request/grant handshake", ("req", "gnt"), "req", ("requester", "granter"), "gnt"),
    Bus(
        "request/grant handshake",
        ("request", "grant"),
        "request",
        ("requester", "granter"),
        "grant",
    ),
    Bus("request/acknowledge handshake", ("req", "ack"), "req", ("requester", "responder"), "ack"),
    Bus("request/response handshake", ("req", "rsp"), "req", ("requester", "responder"), "rsp"),
    Bus("write and read queue port", ("full", "empty")),
)
"""Most specific first: the ports a protocol takes are not offered to the next ones."""
