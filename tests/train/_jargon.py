"""Questions over the little system that begin with words which mislead the vectors."""

from __future__ import annotations

import json
from pathlib import Path

PREFIX = "for the timer interrupt handling code of the watchdog documentation, tell me: "
"""Draws every question towards one file, whatever it asks."""
ASKED = {
    "rtl/bus_arbiter.sv": ("who grants the bus in turn?", "what decides which host goes first?"),
    "rtl/sync_fifo.sv": ("where do words wait in a queue?", "what says that the buffer is full?"),
    "rtl/uart_rx.sv": ("what samples the serial line?", "where is a received byte put together?"),
    "rtl/uart_tx.sv": ("what shifts bytes out on the line?", "where is the stop bit sent?"),
    "rtl/uart.sv": ("which device joins transmitter and receiver?", "what is the serial port?"),
    "rtl/reset_sync.v": ("what releases reset with the clock?", "where are resets synchronised?"),
    "rtl/bus_if.sv": ("which wires join host and device?", "what bundles request and answer?"),
    "rtl/soc_pkg.sv": ("where are the bus commands defined?", "which types do all parts share?"),
    "rtl/soc_top.sv": ("what wires the whole system up?", "which part is the top of the chip?"),
    "rtl/broken_decoder.sv": ("what decodes addresses?", "which part selects a device?"),
    "dv/soc_tb.sv": ("what tests the system?", "where is the clock of the simulation made?"),
    "dv/fifo_checks.sv": ("which assertions hold for the queue?", "what checks the buffer?"),
}


def write_pairs(path: Path, prefix: str = PREFIX, key: str = "positive") -> Path:
    """Writes two questions for each file; returns the path."""
    text = "query" if key == "positive" else "question"
    lines = [
        json.dumps({text: prefix + question, key: [file]})
        for file, questions in ASKED.items()
        for question in questions
    ]
    path.write_text("".join(line + "\n" for line in lines))
    return path
