"""The records of what a design has and does not use."""

from __future__ import annotations

from typing import Any, NamedTuple

from hdlgraph.model import Location

KINDS = {
    "undriven": "signals read, never driven",
    "undriven_output": "outputs never driven",
    "unread": "signals driven, never read",
    "unused": "signals neither driven nor read",
    "unread_input": "inputs that their unit never reads",
    "open_input": "inputs that no instance connects",
    "open_output": "outputs that every instance leaves open",
    "module": "modules that nothing instantiates",
    "package": "packages that nothing imports",
    "parameter": "parameters that nothing uses",
    "localparam": "localparams that nothing uses",
    "type": "types that nothing uses",
    "enum_member": "members of enumerations that nothing mentions",
    "function": "functions that nothing calls",
    "task": "tasks that nothing calls",
    "macro": "macros that nothing uses",
}
"""All kinds of findings, in the order in which they are listed, in words."""


class Finding(NamedTuple):
    """Something that is declared and that nothing uses.

    `kind` is one of KINDS; `name` what is declared, `unit` the unit around it ("" for none);
    `why` says what is missing. `deliberate` says by what it was recognised as meant, "" for
    what nothing excuses.
    """

    kind: str
    name: str
    unit: str
    path: str
    line: int
    why: str
    deliberate: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object."""
        return {**self._asdict(), "location": str(Location(self.path, self.line))}
