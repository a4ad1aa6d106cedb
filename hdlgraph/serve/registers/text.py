"""Registers and fields for people."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from hdlgraph.serve.cli.output import put, say
from hdlgraph.serve.cli.text.values import some


def show_registers(found: dict[str, Any]) -> None:
    """Prints blocks of registers, each register with its fields and their lines of RTL."""
    if not found["blocks"]:
        put(
            "no description of registers was found in the repository; `hdlgraph index` names those "
            "that cannot be read"
        )
    for block in found["blocks"]:
        counts = f"{some(block['n_registers'], 'register')}, {some(block['n_fields'], 'field')}"
        counts += f", {block['n_linked']} found in RTL" if block["n_fields"] else ""
        put(Text(block["name"], style="bold") + Text(f" ({block['location']}): {counts}", style=""))
        for register in block.get("registers", ()):
            _register(register)
    if found["blocks"] and not any("registers" in block for block in found["blocks"]):
        first = found["blocks"][0]["name"]
        say(f"hdlgraph: `hdlgraph registers {first}` lists those of a block")


def _register(one: dict[str, Any]) -> None:
    at = f"0x{one['offset']:x}" if one["offset"] >= 0 else "0x?"
    line = Text(f"  {at} ") + Text(one["name"], style="bold")
    if one["kind"] == "array":
        line += Text(f"[{one['count'] or '?'}]")
    elif one["kind"] == "window":
        line += Text(f" window of {one['size']} bytes")
    access = f" {one['access']}" if one["access"] else ""
    put(line + Text(f"{access} ({one['location']})") + _dim(one["text"]))
    _lines(one, "    ")
    for field in one["fields"]:
        _field(field)


def _field(one: dict[str, Any]) -> None:
    high, low = one["lsb"] + one["width"] - 1, one["lsb"]
    bits = "[?]" if low < 0 else f"[{low}]" if high == low else f"[{high}:{low}]"
    reset = f" reset {one['reset']}" if one["reset"] else ""
    text = f"    {bits} {one['name']} {one['access']}{reset} ({one['location']})"
    put(Text(text) + _dim(one["text"]))
    _lines(one, "      ")


def _dim(text: str) -> Text:
    return Text(f"  {text}" if text else "", style="dim")


def _lines(one: dict[str, Any], indent: str) -> None:
    for line in one["rtl"]:
        whole = " (the register as a whole)" if line["whole"] else ""
        put(Text(f"{indent}{line['location']}  {line['how']} {line['name']}{whole}"))
    left = one["n_rtl"] - len(one["rtl"])
    if left > 0:
        put(Text(f"{indent}... and {left} more lines; --limit", style="dim"))
