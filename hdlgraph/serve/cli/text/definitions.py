"""What a name is, and who uses it, for people."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rich.text import Text

from hdlgraph.model import EdgeKind
from hdlgraph.model.graph import STANDS_FOR
from hdlgraph.model.kinds import entity
from hdlgraph.serve.cli.output import put, say
from hdlgraph.serve.cli.text.rows import add_place, heading, limited, row, shortened, taken_for

PARTS = ("parameters", "ports", "signals", "modports", "types", "routines", "units", "macros")
NETS = frozenset({EdgeKind.CONNECTS.value, "DRIVES", "READS"})
LINKS = ("extends", "imports", "includes", "overrides", "units", "guards")


def show_definitions(found: dict[str, Any]) -> None:
    """Prints every definition of a name."""
    for one in found["definitions"]:
        _definition(one)
    left = found["total"] - len(found["definitions"])
    if left > 0:
        say(f"hdlgraph: {left} more definitions (a pipe or --json has all)")


def _clocked(one: dict[str, Any]) -> Iterator[str]:
    """Yields where a signal is a register, and which outputs of a unit are registers."""
    for at in one.get("clocked") or []:
        reset = f", reset by {at['reset']}" if at["reset"] else ""
        through = f", {at['through']}" if at["through"] else ""
        doubt = "" if at["sure"] else ", by its ports alone"
        doubt += f", under `ifdef {at['ifdef']}" if at["ifdef"] else ""
        doubt += f", only if {at['condition']}" if at["condition"] else ""
        yield f"register @({at['edge']} {at['clock']}){reset}{through} ({at['location']}){doubt}"
    for at in one.get("register_outputs") or []:
        reset = f", reset by {at['reset']}" if at["reset"] else ""
        data = ", ".join(at["data"])
        yield (
            f"registered output: {at['port']} @({at['edge']} {at['clock']}){reset} from {data}"
            f"{f', {stages} registers in a row' if (stages := at['stages']) > 1 else ''}"
        )


def _macro(one: dict[str, Any], indent: str = "  ") -> None:
    """Prints the line of a macro that declares something, and where it is expanded."""
    macro = one.get("macro")
    if not macro:
        return
    line = Text(f"{indent}declared by macro {macro['name']}", style="magenta")
    add_place(line, macro["location"])
    put(line)
    if one.get("n_expansions", 0) > 1:
        places = ", ".join(one["expansions"])
        more = one["n_expansions"] - len(one["expansions"])
        text = f"expanded in {one['n_expansions']} places: {places}"
        put(Text(indent + shortened(text + (f" and {more} more" if more else ""), 400)))


def _size(one: dict[str, Any]) -> None:
    """Prints the width of a structure where its declaration has none, and its type parameters."""
    if (bits := one.get("width")) and not re.match(r"[^{]*, \d+ bits?\b", one["detail"]):
        put(Text(f"  {bits} bit{'s' * (bits != 1)} in all"))
    for given in one.get("type_parameters") or []:
        default = f", {given['default']} by default" if given["default"] else ""
        put(Text(f"  {given['name']} is a type parameter{default}"))


def _member(one: dict[str, Any]) -> None:
    """Prints a field, or a value of an enumeration, and the type that it is of."""
    member = one["member"]
    is_value = one["detail"].startswith("enum")
    line = Text("value " if is_value else "field ")
    line.append(f"{one['name']}.{member['name']}", style="bold")
    add_place(line, member["location"])
    put(line)
    bits = f" ({member['width']} bit{'s' * (member['width'] != 1)})" if member["width"] else ""
    for text in (
        f"{'= ' * (is_value and bool(member['type']))}{member['type']}{bits}",
        member["comment"],
    ):
        if text.strip():
            put(Text("  " + shortened(text, 200)))
    line = Text(f"  of {one['kind']} {one['name']}")
    add_place(line, one["location"])
    put(line)
    if (count := member.get("n_uses")) is not None:
        put(Text(f"  named on {count} line{'s' * (count != 1)} (`hdlgraph who` lists them)"))


def _definition(one: dict[str, Any]) -> None:
    """Prints the card of one definition."""
    if one.get("member"):
        _member(one)
        return
    _declaration(one)
    for part in PARTS:
        entries = one.get(part) or []
        if entries and "doc" in entries[0]:
            _members(part, entries)
    _instances(one.get("instances") or [])
    for part in LINKS:
        entries = [entry for entry in one.get(part) or [] if "stated_at" in entry]
        if entries:
            heading("tests macros" if part == "guards" else part)
        for entry in limited(entries):
            if part == "overrides":
                row(_last(entry["name"]), entry["stated_at"], f"= {entry['text']}")
            elif part == "guards":
                row(entry["name"], entry["stated_at"], entry["text"])
            else:
                row(entry["name"], entry["stated_at"], _target(entry, len(entries)))
    _binds(one.get("binds") or [])
    if one.get("checks"):
        heading("checks and covers")
    for check in limited(one.get("checks") or []):
        row(check["name"], check["location"], f"{check['kind']} {check['text']}".strip())
    for part in ("parents", "users"):
        if one.get(part):
            heading("instantiated by" if part == "parents" else "used by")
        for user in limited(one.get(part) or []):
            row(user["user_name"], user["location"], f"{user['text']} {taken_for(user)}".rstrip())
    _connections(one.get("connections") or [])
    if one.get("unconnected"):
        heading("ports left open")
    for port in limited(one.get("unconnected") or []):
        row(_last(port["name"]), port["location"])
    _relations(one.get("relations") or [])


def _declaration(one: dict[str, Any]) -> None:
    """Prints the lines about a definition itself."""
    line = Text(f"{one['kind']} ")
    line.append(one["name"], style="bold")
    line.append(one.get("shape", ""), style="bold")
    add_place(line, one["location"] or "defined nowhere here")
    put(line)
    for key in ("detail", "doc"):
        if one.get(key):
            put(Text("  " + shortened(one[key], 200)))
    _macro(one)
    _size(one)
    for text in _clocked(one):
        put(Text("  " + shortened(text, 200)))
    if one.get("condition"):
        put(Text("  " + shortened(f"only if {one['condition']}", 200), style="yellow"))


def _relations(entries: list[dict[str, Any]]) -> None:
    words = ""
    for entry in entries:
        if entry["words"] != words:
            words = entry["words"]
            heading(words)
        row(entry["name"], entry["stated_at"], entry["text"])


def _target(entry: dict[str, Any], count: int) -> str:
    """Returns where a listed name leads; of an instance's unit also why it was chosen."""
    if not entry.get("reason") or count < 2:
        return str(entry["location"])
    chosen = "" if entry["reason"].startswith(STANDS_FOR) else f"chosen of {count}: "
    return f"{entry['location']}  {chosen}{entry['reason']}"


def _members(part: str, entries: list[dict[str, Any]]) -> None:
    heading(part)
    for entry in limited(entries):
        condition = f"if {entry['condition']}" if entry.get("condition") else ""
        comment = entry["doc"] and f"// {entry['doc']}"
        words = " ".join(filter(None, (entry["detail"], condition, comment)))
        row(_last(entry["name"]), entry["location"], words)


def _instances(entries: list[dict[str, Any]]) -> None:
    if entries:
        heading("instances")
    for entry in limited(entries):
        units = ", ".join(unit["name"] for unit in entry["units"][:1])
        if len(entry["units"]) > 1:
            units += f" (1 of {len(entry['units'])} definitions)"
        values = ", ".join(f"{one['name']}={one['value']}" for one in entry["overrides"])
        words = " ".join(filter(None, (units, values and f"#({values})", entry["detail"])))
        name = entry["name"].partition(".")[2] or entry["name"]
        row(name + entry["shape"], entry["location"], words)


def _binds(entries: list[dict[str, Any]]) -> None:
    if entries:
        heading("bound into it")
    for entry in limited(entries):
        only = f"  only {', '.join(entry['only'])}" if entry["only"] else ""
        row(f"{entry['text']}: {entry['name']}", entry["stated_at"], only.strip())


def _connections(entries: list[dict[str, Any]]) -> None:
    if entries:
        heading("connections")
    for entry in limited(entries):
        way = entry.get("direction", "")
        if "port" in entry:
            words = f"{entry['expr']}  {way}".strip()
            row(_last(entry["port"]["name"]), entry["location"], words)
        else:
            arrow, other = ("->", entry["to"]) if "to" in entry else ("<-", entry["from"])
            made = f"{_last(entry['instance_name'])}: " if entry["instance_name"] else ""
            words = f"{made}{entry['text']}  {way}".rstrip()
            row(f"{arrow} {other['name']}", entry["location"], words)


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _of_nets(kind: str) -> dict[str, str]:
    """Returns what stands above users by their words, where these alone say no direction."""
    if kind not in NETS:
        return {}
    return {
        "drives": "what drives it",
        "reads": "what reads it",
        "is driven by": "what it drives",
        "connects to": "what connects to it",
    }


def show_users(found: dict[str, Any]) -> None:
    """Prints who declares a name, and who uses it, by kind of use."""
    parts = [one for one in found["targets"] if not entity(one["kind"]).is_unit]
    declared = [one for one in parts if one["declared_by"]]
    if declared:
        put(Text("declared by", style="magenta"))
    for one in limited(declared):
        for owner in one["declared_by"]:
            row(owner["name"], one["location"], one["kind"])
        _macro(one, "      ")
        if member := one.get("member"):
            row(f"  {member['name']}", member["location"], f"{member['type']} of {one['name']}")
    words = ""
    for user in found["users"]:
        if user["words"] != words:
            words = user["words"]
            put(Text(_of_nets(user["kind"]).get(words, words), style="magenta"))
        port = f".{user['port']}({user['text']})" if user.get("port") else user["text"]
        inside = user.get("instance_name", "") if user.get("instance") != user["user"] else ""
        told = (port, inside and f"of {inside}", taken_for(user))
        row(user["user_name"], user["location"], " ".join(filter(None, told)))
    if not found["users"]:
        put(Text(f"the graph knows no use of {found['name']}"))
    left = found["total"] - len(found["users"])
    if left > 0:
        say(f"hdlgraph: {left} more users (a pipe or --json has all)")
