"""A process that keeps an index open, and the commands that ask it."""

from __future__ import annotations

COMMANDS = frozenset(
    {"search", "ask", "show", "tree", "who", "path", "impact", "unresolved", "read"}
    | {"trace", "fsm", "registers", "clocks", "crossings", "unused", "reach", "testbench"}
)
"""Commands that a warm process runs for another one: those that only read."""
