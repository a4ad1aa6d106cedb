"""Testbenches, tests and their classes for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rich.text import Text

from hdlgraph.serve.cli.output import put

FOLDED = 3
"""What each base does, as it is said of a class."""
NAMED = 12
"""Classes of which one is made by name that are listed."""


def show_testbench(found: dict[str, Any]) -> None:
    """Prints an answer of `Project.testbench`, by what the name is."""
    if found["kind"] == "overview":
        _overview(found)
        return
    show = {
        "unit": _unit,
        "class": _class,
        "test": _test,
        "key": _key,
        "function": _function,
    }[found["kind"]]
    for one in found["found"]:
        show(one)


def _head(words: str, name: str, location: str) -> None:
    put(Text(f"{words} ") + Text(name, style="bold") + Text(f" ({location})" if location else ""))


def _overview(found: dict[str, Any]) -> None:
    if not found["testbenches"]:
        put("no testbench was found in the repository")
    for one in found["testbenches"]:
        units = ", ".join(one["units"][:4])
        tests = f", {one['n_tests']} tests" if one["n_tests"] else ""
        _head("testbench", one["name"], one["location"])
        put(f"  {one['bench']}{tests}" + (f": {units}" if units else ""))
    _more(found, "testbenches")
    for key, words in (("unread", "set and never read"), ("unset", "read and never set")):
        if found[key]:
            put(f"keys of uvm_config_db that are {words}:")
        for one in found[key]:
            put(f"  {one['key']} ({one['type']}) {one['location']}")
        _more(found, key)


def _unit(one: dict[str, Any]) -> None:
    _head(one["kind"], one["name"], one["location"])
    if not one["testbenches"] and not one["programs"]:
        put("  no testbench of the repository holds it")
    for bench in one["testbenches"]:
        _bench(bench)
    _more(one, "testbenches", "  ")
    for program in one["programs"]:
        name = f" {program['name']}" if program["name"] else ""
        put(f"  {program['kind']}{name} of {program['top']} ({program['location']})")
    _more(one, "programs", "  ")
    if one["bound"]:
        put("  bound to it and to units below it:")
    alike: dict[tuple[str, str, str], list[str]] = {}
    for bound in one["bound"]:
        groups = ", ".join(bound["covergroups"])
        alike.setdefault((bound["name"], bound["into"], groups), []).append(bound["location"])
    for (name, into, groups), places in alike.items():
        times = f", {len(places)} times" if len(places) > 1 else ""
        covers = f", with covergroups {groups}" if groups else ""
        put(f"    {name} into {into} ({places[0]}){times}{covers}")
    _more(one, "bound", "    ")


def _bench(one: dict[str, Any]) -> None:
    put(
        Text(f"  {one['bench']} ") + Text(one["name"], style="bold") + Text(f" ({one['location']})")
    )
    put(f"    instance {one['instance']}")
    for key, words in (
        ("envs", "environment"),
        ("agents", "agents"),
        ("coverage", "coverage"),
        ("test_classes", "test classes"),
    ):
        _names(words, one[key])
    _names("sequences", one["sequences"], one["n_sequences"])
    if one["tests"]:
        names = ", ".join(test["name"] for test in one["tests"][:8])
        left = one["n_tests"] - min(8, len(one["tests"]))
        several = len(one["lists"]) > 1
        lists = ", ".join(
            f"{each['n_tests']} of {each['path']}" if several else each["path"]
            for each in one["lists"]
        )
        put(f"    tests ({lists}): {names}" + (f" and {left} more" if left > 0 else ""))


def _names(words: str, classes: list[dict[str, Any]], total: int = 0) -> None:
    if classes:
        names = ", ".join(
            f"{one['name']} ({one['location']})" if one["location"] else one["name"]
            for one in classes[:6]
        )
        left = max(total, len(classes)) - min(6, len(classes))
        put(f"    {words}: {names}" + (f" and {left} more" if left > 0 else ""))


def _class(one: dict[str, Any]) -> None:
    _head(one["role"] or "class", one["name"], one["location"])
    chain = [
        f"{each['name']} ({each['location']})" if each["location"] else each["name"]
        for each in one["chain"]
    ]
    if chain:
        put(f"  extends {' > '.join(chain)}")
    for child in one["tree"]["children"]:
        _component(child, "  ")
    _section("connected (TLM):", map(_joined, one["connections"]), one, "connections")
    _folded("overrides of the factory:", _override, one, "overrides")
    _folded("starts:", _start, one, "starts")
    _section(
        "used by:",
        (_user(each) for each in one["used_by"]),
        one,
        "used_by",
    )
    driven = map(_driven, one["driven_by"])
    item = one["driven_by"][0]["item"] if one["driven_by"] else ""
    _section(f"sequences of its item {item}:", driven, one, "driven_by")
    tests = (f"{each['name']} {each['location']}" for each in one["tests"])
    _section("in the tests:", tests, one, "tests")
    _folded("keys of uvm_config_db:", _setting, one, "settings")


def _component(one: dict[str, Any], indent: str) -> None:
    many = "[]" if one["many"] else ""
    role = f" {one['role']}" if one["role"] else ""
    put(Text(f"{indent}{one['name']}{many}: {one['class']}{role} ") + _dim(one["created"]))
    for child in one["children"]:
        _component(child, indent + "  ")


def _joined(one: dict[str, Any]) -> str:
    ends = [f"{end['component']}.{end['port']}" for end in (one["from"], one["to"])]
    classes = f"{one['from']['class']} to {one['to']['class']}"
    return f"{ends[0]} -> {ends[1]} ({classes}) {one['location']}"


def _test(one: dict[str, Any]) -> None:
    _head("test", one["name"], one["location"])
    if one["about"]:
        put(f"  {one['about']}")
    for bench in one["benches"]:
        put(f"  testbench {bench['name']} ({bench['location']})")
    if one["unit"]:
        put(f"  exercises {one['unit']}")
    for key, words in (("class", "UVM test"), ("sequence_class", "sequence")):
        if one[key]:
            at = one[key]["location"] or "not in the repository"
            put(f"  {words} {one[key]['name']} ({at})")
    _names("environment", one["envs"])
    _folded("overrides of the factory:", _override, one, "overrides")
    starter = "its sequence starts:" if one["sequence_class"] else "it starts:"
    _folded(starter, _start, one, "starts")
    for key, text in one["options"].items():
        put(f"  {key}: {text}")
    for goal in one["goals"]:
        put(f"  test plan: {goal['name']} ({goal['location']})")


def _key(one: dict[str, Any]) -> None:
    _head("key of uvm_config_db", one["name"], "")
    for key, words in (("sets", "set"), ("gets", "read")):
        for each in one[key]:
            alone = "" if each["matched"] else ", with no counterpart"
            path = f" for {each['for']}" if each["for"] else ""
            put(f"  {words} {each['type']}{path} ({each['location']}){alone}")
        _more(one, key, "  ")


def _function(one: dict[str, Any]) -> None:
    _head(f"DPI {one['dpi']}", one["name"], one["location"])
    if one["foreign"] != one["name"]:
        put(f"  in C {one['foreign']}")
    for each in one["c"]:
        put(f"  {'body' if each['is_body'] else 'declared'} {each['location']}")
    if not one["c"]:
        put("  no C or C++ file of the repository has it")
    for each in one["callers"]:
        put(f"  called in {each['unit']} {each['location']}  {each['text']}")
    _more(one, "callers", "  ")


def _section(title: str, lines: Iterable[str], one: dict[str, Any], key: str) -> None:
    rows = list(lines)
    if rows:
        put(f"  {title}")
    for line in rows:
        put(f"    {line}")
    _more(one, key, "    ")


def _folded(
    title: str,
    text_of: Callable[[Mapping[str, Any]], tuple[str, str]],
    one: dict[str, Any],
    key: str,
) -> None:
    """Prints what a class itself does line by line, and what each base does in one line."""
    if one[key]:
        put(f"  {title}")
    bases: dict[str, list[tuple[str, str]]] = {}
    for each in one[key]:
        what, more = text_of(each)
        if each["base"]:
            bases.setdefault(each["base"], []).append((what, each["location"]))
        else:
            put(f"    {what}{more} {each['location']}")
    for base, items in bases.items():
        listed = ", ".join(f"{what} ({at})" for what, at in items[:FOLDED])
        left = len(items) - FOLDED
        put(f"    from {base}: {listed}" + (f" and {left} more" if left > 0 else ""))
    _more(one, key, "    ")


def _override(each: Mapping[str, Any]) -> tuple[str, str]:
    under = f" under {each['under']}" if each["under"] else ""
    condition = f" if {each['condition']}" if each["condition"] else ""
    return f"{each['asked']} by {each['made']}{condition}", under


def _start(each: Mapping[str, Any]) -> tuple[str, str]:
    on = f" on {each['sequencer']}"
    if not each["by_name"]:
        return each["sequence"], on
    names = [one["name"] for one in each["may_be"]]
    listed = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" * (len(names) > NAMED))
    named = f", one of {listed}" if listed else ""
    return f"declared type {each['sequence']}, made by name", f"{named}{on}"


def _driven(each: Mapping[str, Any]) -> str:
    places = [f"{one['class']} {one['location']}" for one in each["started"]]
    more = f" and {len(places) - FOLDED} more" if len(places) > FOLDED else ""
    started = f", started by {', '.join(places[:FOLDED])}{more}" if places else ""
    return f"{each['name']} {each['location']}{started}"


def _setting(each: Mapping[str, Any]) -> tuple[str, str]:
    return f"{each['act']} {each['key']}", f" ({each['type']})"


def _more(one: dict[str, Any], key: str, indent: str = "") -> None:
    left = one[f"n_{key}"] - len(one[key])
    if left > 0:
        put(_dim(f"{indent}... and {left} more; --limit"))


def _dim(text: str) -> Text:
    return Text(text, style="dim")


def _user(each: Mapping[str, Any]) -> str:
    """Returns an edge into a class in one line; of the class that replaces one, which that is."""
    place = f" {each['text']}" if each["text"].startswith("in the place of ") else ""
    return f"{each['class']} {each['kind']}{place} {each['location']}"
