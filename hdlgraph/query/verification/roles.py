"""Describes what a class of a testbench is for, from what it extends."""

from __future__ import annotations

import re
from collections.abc import Sequence

BASES = {
    "uvm_test": "test",
    "uvm_env": "env",
    "uvm_agent": "agent",
    "uvm_driver": "driver",
    "uvm_push_driver": "driver",
    "uvm_monitor": "monitor",
    "uvm_sequencer": "sequencer",
    "uvm_sequencer_base": "sequencer",
    "uvm_sequencer_param_base": "sequencer",
    "uvm_virtual_sequencer": "sequencer",
    "uvm_push_sequencer": "sequencer",
    "uvm_scoreboard": "scoreboard",
    "uvm_in_order_class_comparator": "scoreboard",
    "uvm_subscriber": "coverage",
    "uvm_sequence": "sequence",
    "uvm_sequence_base": "sequence",
    "uvm_sequence_library": "sequence",
    "uvm_virtual_sequence": "sequence",
    "uvm_reg_sequence": "sequence",
    "uvm_sequence_item": "item",
    "uvm_transaction": "item",
    "uvm_reg_block": "register model",
    "uvm_reg": "register model",
    "uvm_mem": "register model",
    "uvm_reg_field": "register model",
    "uvm_reg_file": "register model",
    "uvm_reg_adapter": "adapter",
    "uvm_reg_predictor": "predictor",
    "uvm_report_server": "report",
    "uvm_report_catcher": "report",
    "uvm_component": "component",
    "uvm_object": "object",
}
"""What classes of UVM are for; a class is what the first of them that it extends is."""
COMPONENTS = frozenset(
    ("test", "env", "agent", "driver", "monitor", "sequencer", "scoreboard", "coverage")
) | {"component", "predictor", "model"}
"""Roles of classes that stand in the tree of components."""
_BY_NAME = (
    ("coverage", re.compile(r"(?:^|_)f?cov(?:erage|g)?(?:_|$)|_cover(?:_|$)")),
    ("scoreboard", re.compile(r"(?:^|_)(?:scoreboard|scb|sb)(?:_|$)")),
    ("config", re.compile(r"(?:^|_)(?:cfg|config|configuration)(?:_c)?$")),
    ("sequence", re.compile(r"(?:^|_)v?seq(?:uence)?(?:_c)?$|_seq_c$")),
    ("sequencer", re.compile(r"(?:^|_)v?(?:sqr|seqr|sequencer)(?:_c)?$")),
    ("driver", re.compile(r"(?:^|_)(?:driver|drv)(?:_c)?$")),
    ("monitor", re.compile(r"(?:^|_)(?:monitor|mon)(?:_c)?$")),
    ("agent", re.compile(r"(?:^|_)agent(?:_c)?$")),
    ("env", re.compile(r"(?:^|_)env(?:_c)?$")),
    ("test", re.compile(r"(?:^|_)test(?:_c)?$")),
    ("item", re.compile(r"(?:^|_)(?:item|trans|transaction|txn)(?:_c)?$")),
)
_NARROWED = {
    "component": ("coverage", "scoreboard", "monitor", "driver", "agent", "env"),
    "object": ("config", "coverage"),
}
"""Of general classes of UVM a name may say more."""


def role_of(chain: Sequence[str], has_groups: bool) -> tuple[str, str]:
    """Returns what a class is for and what tells it: `chain`, `name`, or "" for neither.

    Args:
        chain: the name of the class and of those that it extends, in order.
        has_groups: whether any of them has covergroups.
    """
    base = next((name for name in chain if name in BASES), "")
    role = BASES.get(base, "")
    if role in _NARROWED:
        known = next((one for name in chain[:-1] if (one := _role_name(name))), "")
        if known in _NARROWED[role]:
            return known, "name"
        return ("coverage", "chain") if role == "component" and has_groups else (role, "chain")
    if role:
        return role, "chain"
    last = chain[-1]
    if last.startswith("uvm_"):
        return last.removeprefix("uvm_").replace("_", " "), "chain"
    if len(chain) > 1 and (
        known := _role_name(last) or _role_name(chain[0])
    ):  # a base from elsewhere
        return known, "name"
    return "", ""


def _role_name(name: str) -> str:
    lower = name.lower()
    return next((role for role, pattern in _BY_NAME if pattern.search(lower)), "")
