"""Adds edges for names that files mention: includes, imports, base classes, macros, types."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from hdlgraph.index.link.names import Names
from hdlgraph.index.link.nodes import FileEntry, UnitEntry
from hdlgraph.index.link.parts.asked import Space
from hdlgraph.index.link.ranked import Target, nearest
from hdlgraph.model import EdgeKind, Parameter, Port, Signal

INCLUDES = EdgeKind.INCLUDES.value
IMPORTS = EdgeKind.IMPORTS.value
EXTENDS = EdgeKind.EXTENDS.value
USES = EdgeKind.USES.value
MAPS = EdgeKind.MAPS.value
DEEPEST = 64
"""An include with more folders than this is looked for only where it is written to be."""

DIRECTIVES = frozenset(
    """define undef undefineall ifdef ifndef elsif else endif include timescale resetall line
        default_nettype celldefine endcelldefine pragma unconnected_drive
        nounconnected_drive begin_keywords end_keywords protect endprotect __FILE__
        __LINE__""".split()
)
NO_PACKAGES = frozenset(("type_id", "interface", "super", "this", "local"))
"""Words before `::` that name no package, as in `T::type_id::create`."""

TYPE_NAME = re.compile(r"(?:([A-Za-z_]\w*)\s*::\s*)?([A-Za-z_]\w*)")
TYPE_WORDS = frozenset(
    """logic reg wire bit byte int integer shortint longint time real realtime shortreal string
        signed unsigned event chandle virtual interface const static rand randc automatic
        var local protected tri supply0 supply1 tri0 tri1 wand wor enum struct union
        packed type input output inout ref genvar void""".split()
)


def link_includes(names: Names, file: FileEntry, incdirs: tuple[str, ...], tails: Tails) -> None:
    """Adds INCLUDES edges of a file and fills its `included`."""
    done: set[str] = set()
    for written, line in file.record.includes:
        if written in done:
            continue
        done.add(written)
        targets = _included(names, file, written, incdirs, tails)
        if targets:
            names.link(INCLUDES, file.row, targets, file.path, line, written)
            file.included.extend(target.entry for target in nearest(targets))
        else:
            what = ("include", written)
            names.link_missing(INCLUDES, file.row, what, file.path, line, "", written)


class Tails:
    """Looks files up by the ends of their paths: `pkg/defs.svh` finds `rtl/pkg/defs.svh`."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._spaces: dict[int, Space] = {}

    def space(self, parts: int) -> Space:
        """Returns the files by the last `parts` parts of their paths, without shorter paths."""
        found = self._spaces.get(parts)
        if found is None:
            found = self._spaces[parts] = Space(f"e{parts}/", self._names.asked)
            for file in self._names.files:
                path = file.path.split("/")
                if len(path) >= parts:
                    found.setdefault("/".join(path[-parts:]), []).append(file)
        return found


def _included(
    names: Names, file: FileEntry, written: str, incdirs: tuple[str, ...], tails: Tails
) -> list[Target]:
    wanted = [part for part in written.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    if not wanted or wanted[-1] not in tails.space(1):
        return []
    folder = file.path.rpartition("/")[0]
    for base in (folder, *incdirs):
        found = names.file(_joined(base, written))
        if found is not None and found is not file:
            return [Target(found, 1.0, "unique", 0)]
    return names.others(tails.space(min(len(wanted), DEEPEST)), "/".join(wanted), file)


def _joined(folder: str, written: str) -> str:
    """Returns `folder/written` without `.` and `..`; "" where it leaves the repository."""
    parts: list[str] = []
    for part in PurePosixPath(folder, written.replace("\\", "/")).parts:
        if part == "..":
            if not parts:
                return ""
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def link_imports(names: Names, file: FileEntry) -> None:
    """Adds IMPORTS edges of a file and of its units to packages."""
    _link_packages(names, file, None, file.record.imports)
    for entry in file.units:
        _link_packages(names, file, entry, entry.unit.imports)


def _link_packages(
    names: Names, file: FileEntry, user: UnitEntry | None, imports: tuple[tuple[str, int], ...]
) -> None:
    row, own = (user.row, user.unit.name) if user else (file.row, "")
    first: dict[str, int] = {}
    for package, line in imports:
        first[package] = min(line, first.get(package, line))
    for package, line in first.items():
        if package in names.packages:
            targets = names.targets(names.packages, package, file, told=True)
            targets = [target for target in targets if target.entry.row != row]
            names.link(IMPORTS, row, targets, file.path, line)
        elif package in NO_PACKAGES or (user and _declares(user, package)):
            continue
        elif package in names.classes or package in names.aliases:
            # `cls::member` reads like `pkg::name`
            targets = nearest(_class_targets(names, file, user, package))
            names.link(USES, row, targets, file.path, line, package)
        else:
            names.link_missing(IMPORTS, row, ("package", package), file.path, line, own)


def _declares(user: UnitEntry, name: str) -> bool:
    return name in user.types or name in user.parameters


def link_macros(names: Names, file: FileEntry) -> None:
    """Adds USES edges from a file to the macros it expands: its own and its includes' first."""
    near: set[str] | None = None
    for name, line in file.record.macro_uses:
        if name in DIRECTIVES or name in file.macros:
            continue
        place, text = (file.path, line), f"`{name}"
        targets = names.targets(names.macros, name, file)
        if not targets:
            names.link_missing(USES, file.row, ("macro", name), *place, "", text)
            continue
        if len(targets) > 1:
            near = names.visible([file]) if near is None else near
            targets = nearest(names.within(names.macros, name, file, targets, near))
        for target in targets:
            names.builder.edge(
                USES, file.row, target.entry.macros[name], *place, text, target.confidence,
                target.resolved,
            )  # fmt: skip


def link_classes(names: Names, file: FileEntry, entry: UnitEntry) -> None:
    """Adds EXTENDS of a class and USES to the classes that its factory calls create."""
    unit = entry.unit
    if unit.extends:
        place, text = (file.path, unit.line), unit.extends[:200]
        targets = _class_targets(names, file, entry, unit.extends, told=True)
        if targets:
            names.link(EXTENDS, entry.row, targets, *place, text, unit.confidence)
        else:
            what = ("class", class_name(unit.extends)[1])
            names.link_missing(EXTENDS, entry.row, what, *place, unit.name, text)
    for made, line in dict(reversed(unit.factory)).items():
        _, name = class_name(made)
        text = f"{name}::type_id::create"
        targets = _class_targets(names, file, entry, made)
        if targets:
            names.link(USES, entry.row, nearest(targets), file.path, line, text)
        elif name != unit.name and not _declares(entry, name):
            what = ("class", name)
            names.link_missing(USES, entry.row, what, file.path, line, unit.name, text)


def link_cells(names: Names, file: FileEntry, entry: UnitEntry) -> None:
    """Adds MAPS edges from a module of a technology map to the cells that it stands for.

    Other maps of a cell are not what it stands for, where anything else defines the cell.
    """
    for name, line in entry.unit.cells:
        targets = [one for one in names.others(names.modules, name, file) if one.entry is not entry]
        cells = [target for target in targets if not target.entry.unit.cells]
        if cells or targets:
            names.link(MAPS, entry.row, cells or targets, file.path, line, name)
        elif name != entry.unit.name:
            what = ("module", name)
            names.link_missing(MAPS, entry.row, what, file.path, line, entry.unit.name, name)


def class_name(written: str) -> tuple[str, str]:
    """Returns (package or "", class) of a class as written, without its parameters."""
    bare = written.partition("#")[0].strip()
    scope, _, name = bare.rpartition("::")
    return scope.strip(), name.strip()


def _class_targets(
    names: Names, file: FileEntry, user: UnitEntry | None, written: str, steps: int = 3,
    told: bool = False,
) -> list[Target]:  # fmt: skip
    """Returns the classes that a name means, by way of type parameters and typedefs."""
    scope, name = class_name(written)
    for one in user.unit.parameters if user and name in user.parameters else ():
        if one.name == name and not scope and one.default:
            scope, name = class_name(one.default)  # `class a #(type B = c) extends B`
    if name not in names.classes and name in names.aliases and steps:
        alias = names.targets(names.aliases, name, file)[0].entry
        return _class_targets(names, names.by_path[alias.path], None, alias.base, steps - 1, told)
    targets = names.targets(names.classes, name, file, told)
    targets = [t for t in targets if t.entry is not user]
    if len(targets) < 2:
        return [t._replace(confidence=1.0, resolved="unique", tier=0) for t in targets]
    package = scope or (user.unit.parent if user else "")
    if package:
        homes = nearest(names.targets(names.packages, package, file))
        near = names.reach(homes)
        found = names.within(names.classes, name, file, targets, near, package)
        return [t for t in found if t.entry is not user]
    return targets


def link_types(names: Names, file: FileEntry, entry: UnitEntry) -> None:
    """Adds USES edges from a unit to the types, interfaces and classes its declarations name."""
    first: dict[str, int] = {}
    declared: tuple[Port | Signal | Parameter, ...]
    for declared in (entry.unit.ports, entry.unit.signals, entry.unit.parameters):
        for one in declared:
            if one.type:
                first.setdefault(one.type, one.line)
    done = {entry.row}
    for written, line in first.items():
        for scope, name in TYPE_NAME.findall(written):
            if name in TYPE_WORDS:
                continue
            text = f"{scope}::{name}" if scope else name
            for row, sure, resolved in _type_rows(names, file, entry, scope, name):
                if row not in done:
                    done.add(row)
                    names.builder.edge(USES, entry.row, row, file.path, line, text, sure, resolved)


def _type_rows(
    names: Names, file: FileEntry, entry: UnitEntry, scope: str, name: str
) -> list[tuple[int, float, str]]:
    if not scope:
        own = entry.types.get(name, file.types.get(name, -1))
        if own >= 0:
            return [(own, 1.0, "unique")]
    for package in (scope,) if scope else _imported(names, file, entry, name):
        targets = nearest(names.targets(names.packages, package, file))
        found = [(t.entry.types[name], t.confidence, t.resolved) for t in targets
                 if name in t.entry.types]  # fmt: skip
        if found:
            return found
    targets = nearest(names.targets(names.modules, name, file))
    if targets and all(t.entry.unit.kind == "interface" for t in targets) and not scope:
        return [(t.entry.row, t.confidence, t.resolved) for t in targets]
    if name in names.classes:
        written = f"{scope}::{name}" if scope else name
        return [
            (t.entry.row, t.confidence, t.resolved)
            for t in nearest(_class_targets(names, file, entry, written))
        ]
    return []


def _imported(names: Names, file: FileEntry, entry: UnitEntry, name: str) -> list[str]:
    """Returns the packages imported where `entry` stands that may declare a type."""
    homes = names.type_homes.get(name, ())
    if not homes:
        return []
    order = names.imports_of(file, entry)
    if len(homes) < len(order):
        return sorted((one for one in homes if one in order), key=order.__getitem__)
    return [package for package in order if package in homes]
