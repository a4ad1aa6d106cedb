"""Elaborations for people: reports, trees, forms of a unit, and what a parameter changes."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from hdlgraph.serve.cli.output import put, say
from hdlgraph.serve.cli.text.hits import one_line
from hdlgraph.serve.cli.text.links import linked
from hdlgraph.serve.cli.text.structure import show_definitions

MAX_ROWS, PARTS, BRANCHES = 10, 8, 40
"""Messages of each kind, entries of other lists, and generate blocks of a unit that are printed."""


def show_report(done: dict[str, Any]) -> None:
    """Prints what an elaboration did."""
    for top in done["tops"]:
        put(_placed(Text(top["name"], style="bold"), top["location"]))
    words = "kept from before" if done["reused"] else f"{done['seconds']:.1f} s"
    put(
        f"{done['instances']} instances of {done['units']} units in {done['forms']} forms, "
        f"{len(done['files'])} files ({words}, {done['memory_mb']:.0f} MB)"
    )
    put(f"{done['errors']} errors, {done['warnings']} warnings")
    for severity in ("error", "warning"):
        messages = [one for one in done["said"] if one["severity"] == severity]
        most = MAX_ROWS if severity == "error" or not done["errors"] else 0
        for one in messages[: most if severity == "error" else min(most, 3)]:
            put(_placed(Text(f"  {severity} "), one["location"], one["text"]))
    _parts("not in the repository", done["missing"], "name")
    _parts("taken in place of undefined modules", done["stand_ins"], "name")
    _differences(done)
    _parts("other tops", done["other_tops"], "name")
    if done["near_top"]:
        say("hdlgraph: note: definitions near the top were taken: they give fewer errors")
    if done["truncated"]:
        say(f"hdlgraph: note: {done['truncated']}: the rest is left out")


def _parts(heading: str, entries: list[dict[str, Any]], key: str) -> None:
    if not entries:
        return
    put(Text(f"  {heading}: {len(entries)}", style="magenta"))
    for one in entries[:PARTS]:
        put(_placed(Text(f"    {one[key]:<28} "), one["location"]))
    if len(entries) > PARTS:
        put(f"    ... {len(entries) - PARTS} more (--json)")


_WORDS = {
    "definition": "other definitions taken than the graph says",
    "instance": "instances that only the elaboration has",
    "absent": "instances that only the graph has",
}


def _differences(done: dict[str, Any]) -> None:
    for kind, count in done["differences"].items():
        put(Text(f"  {_WORDS.get(kind, kind)}: {count}", style="magenta"))
        for one in [o for o in done["differing"] if o["kind"] == kind][:3]:
            words = f"graph {one['graph']}, elaborated {one['elaborated']}"
            both = one["graph"] and one["elaborated"]
            put(_placed(Text(f"    {one['name']:<28} "), one["location"], words if both else ""))


def show_list(found: dict[str, Any]) -> None:
    """Prints the configurations that are kept."""
    for one in found["configurations"]:
        tops = ", ".join(top["name"] for top in one["tops"])
        options = [f"-P {p}" for p in one["parameters"]] + [f"-D {d}" for d in one["defines"]]
        line = Text(one["name"], style="bold")
        line.append(f"  {tops}  {one['instances']} instances, {one['errors']} errors")
        if options:
            line.append("  " + " ".join(options), style="dim")
        if one["changed"]:
            line.append(f"  ({len(one['changed'])} files changed since)", style="yellow")
        put(line)
    if not found["configurations"]:
        say("hdlgraph: no configuration is kept; make one with `hdlgraph elaborate`")


def show_elaborated_tree(found: dict[str, Any]) -> None:
    """Prints the elaborated hierarchy below each top."""
    for top in found["tops"]:
        line = Text(top["name"], style="bold")
        _placed(line, top["location"], f"{top['count']} instances" if "count" in top else "")
        put(line)
        _details(top, 1)
        _children(top, 1)
    if found["truncated"]:
        say("hdlgraph: note: the tree is longer; name a unit below, or fewer levels with --depth")


def _children(entry: dict[str, Any], level: int) -> None:
    for child in entry["children"]:
        line = Text("  " * level)
        line.append(child["name"], style="bold")
        line.append(f" {child['unit']}")
        words = child.get("note", "")
        _placed(line, child["location"], f"({words})" if words else "")
        put(line)
        _details(child, level + 1)
        _children(child, level + 1)


def _details(entry: dict[str, Any], level: int) -> None:
    values = [f"{p['name']}={p['value']}" for p in entry["parameters"] if not p["local"]]
    if values:
        put(Text("  " * level + "# " + one_line(" ".join(values), 160), style="dim"))
    for one in entry["branches"][:BRANCHES]:
        if "[" not in one["name"]:
            sign = "+" if one["taken"] else "-"
            words = f"if {one['condition']}" if one["condition"] else ""
            line = Text("  " * level + f"{sign} {one['name']} ", style="dim")
            put(_placed(line, one["location"], words))


def show_elaborated(found: dict[str, Any]) -> None:
    """Prints every definition of a name, and what it became."""
    show_definitions(found)
    if not any(one.get("elaborated") for one in found["definitions"]):
        say(f"hdlgraph: note: configuration {found['config']} has nothing of that name")
    for one in found["definitions"]:
        for form in one.get("elaborated") or []:
            where = form["paths"][0] if form["paths"] else ""
            line = Text(f"  in {found['config']}: ", style="magenta")
            line.append(f"{form['count']} x {where}")
            put(line)
            for value in form["parameters"]:
                words = f"{value['type']} " + ("local" if value["local"] else "")
                put(f"    {value['name']} = {one_line(value['value'], 80)}  {words}".rstrip())
            for port in form["ports"]:
                put(f"    {port['direction']} {port['name']} [{port['width']} bits] {port['type']}")
            _taken(form)
            for driver in form["driven"][:BRANCHES]:
                bits = f"{driver['name']}[{driver['msb']}:{driver['lsb']}]"
                put(_placed(Text(f"    {bits:<28} "), driver["location"], driver["kind"]))


def _taken(form: dict[str, Any]) -> None:
    for block in form["branches"][:BRANCHES]:
        sign = "+" if block["taken"] else "-"
        words = f"if {block['condition']}" if block["condition"] else ""
        put(_placed(Text(f"    {sign} {block['name']} "), block["location"], words))


_KINDS = (
    ("appear", "appear"),
    ("vanish", "vanish"),
    ("values", "parameters"),
    ("widths", "widths of ports"),
    ("branches", "generate blocks"),
)


def show_parameter_impact(found: dict[str, Any]) -> None:
    """Prints what another value of a parameter changes."""
    line = Text(found["parameter"], style="bold")
    if not found["elaborated"]:
        put(line)
        _written(found)
        return
    line.append(f": {found['before']} -> {found['after']} in {', '.join(found['tops'])}")
    put(line)
    before, after = (found["instances"][side] for side in ("before", "after"))
    errors = found["errors"]
    put(f"{before} instances before, {after} after; errors {errors['before']}, {errors['after']}")
    for key, words in _KINDS:
        if not found["counts"][key]:
            continue
        put(Text(f"  {words}: {found['counts'][key]}", style="magenta"))
        for one in found[key][:MAX_ROWS]:
            if key in ("appear", "vanish"):
                text = f"{one['unit']}, {one['below']} below, {one['count']} times"
                put(_placed(Text(f"    {one['instance']}  "), one["location"], text))
            else:
                text = f"{one['before']} -> {one['after']}"
                name = f"    {one['instance']}.{one['name']} ({one['count']} times)  "
                put(_placed(Text(name), one["location"], one_line(text, 100)))
    _written(found)


_USES = {
    "parameters": "parameters made of it",
    "widths": "ports and signals whose type has it",
    "generates": "generates that depend on it",
    "overrides": "instances that get it",
    "statements": "statements that read it",
}
SOME = 5
"""Uses of each kind that are printed."""


def _written(found: dict[str, Any]) -> None:
    """Prints the uses of a parameter in the text, and where instances override it."""
    uses = found["written"] or {"counts": {}}
    for kind, count in uses["counts"].items():
        if count:
            put(Text(f"  {_USES[kind]}: {count}", style="magenta"))
        for use in uses[kind][:SOME]:
            name = f"{use['unit']}.{use['name']}" if use["name"] else use["unit"]
            told = f"{use['text']}  by {use['through']}" if use["through"] else use["text"]
            put(_placed(Text(f"    {name}  "), use["location"], one_line(told.strip(), 100)))
        if count > SOME:
            put(Text(f"    ... {count - SOME} more (--json)", style="dim"))
    if found["uses"]:
        put(Text("  overridden at", style="magenta"))
    for use in found["uses"][:MAX_ROWS]:
        put(
            _placed(
                Text(f"    {use['user_name']:<28} "), use["location"], one_line(use["text"], 80)
            )
        )


def _placed(line: Text, location: str, words: str = "") -> Text:
    """Returns a line with a place, which is a link on a terminal, and words behind it."""
    if location:
        line.append(" " if line.plain and not line.plain.endswith(" ") else "")
        line.append(location, style=linked(location))
    if words:
        line.append(f"  {words}", style="dim")
    return line
