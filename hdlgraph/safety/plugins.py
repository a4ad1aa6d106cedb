"""Modules of other packages that hdlgraph calls: which there are, and how a child loads them.

They are named by the program that uses hdlgraph, or by a package that is installed beside it:
never by a repository, its settings or an index. A child process does not search the folders that
its parent does, so it is told the file that each module came from.
"""

from __future__ import annotations

import site
import sys
import sysconfig
from collections.abc import Iterator
from importlib import import_module, util
from pathlib import Path
from typing import Any, NamedTuple


class Plugin(NamedTuple):
    """An object of another package: `module` and `attribute` name it, `file` is where it lies.

    `file` is that of the module, or `__init__.py` of the outermost package that holds it. `release`
    is the name and version of the installed package, "" for one that is not installed.
    """

    module: str
    attribute: str
    file: str
    release: str = ""

    def __str__(self) -> str:
        return f"{self.module}:{self.attribute}" if self.attribute else self.module


def find(name: str, release: str = "") -> tuple[Plugin, Any]:
    """Imports what `module` or `module:attribute` names; returns where it lies, and itself.

    Raises:
        ImportError, AttributeError: there is no such module, or nothing of that name in it.
    """
    module, _, attribute = name.partition(":")
    found: Any = import_module(module)
    top = sys.modules[module.partition(".")[0]]
    file = getattr(top, "__file__", None)
    if not file:
        raise ImportError(f"{module}: comes from no file")
    for part in filter(None, attribute.split(".")):
        found = getattr(found, part)
    return Plugin(module, attribute, str(Path(file).resolve()), release), found


def load(plugin: Plugin) -> Any:
    """Returns the object, its module imported from the file that the plugin names.

    Raises:
        ImportError, AttributeError: the file is gone, or nothing of that name is in it.
    """
    top = plugin.module.partition(".")[0]
    if top not in sys.modules:
        file = Path(plugin.file)
        inside = [str(file.parent)] if file.name == "__init__.py" else None
        spec = util.spec_from_file_location(top, file, submodule_search_locations=inside)
        if spec is None or spec.loader is None:
            raise ImportError(f"{plugin}: {file} is no module")
        sys.modules[top] = util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[top])
    found: Any = import_module(plugin.module)
    for part in filter(None, plugin.attribute.split(".")):
        found = getattr(found, part)
    return found


def code(plugin: Plugin) -> Iterator[Path]:
    """Yields the source files that the object may depend on, sorted: its module or package."""
    file = Path(plugin.file)
    yield from sorted(file.parent.rglob("*.py")) if file.name == "__init__.py" else [file]


def installed(group: str) -> Iterator[tuple[str, str]]:
    """Yields (what an entry point names, name and version of its package), sorted.

    Only packages in the folders of this Python installation count: not those in the working
    directory, nor in folders that an environment variable names.
    """
    found = set()
    for folder in _folders():
        for file in Path(folder).glob("*.dist-info/entry_points.txt"):
            # To let importlib.metadata read all packages would take 80 ms.
            if f"[{group}]" in file.read_text("utf-8", "replace"):
                from importlib.metadata import PathDistribution

                one = PathDistribution(file.parent)
                points = one.entry_points.select(group=group)
                release = f"{one.metadata['Name']} {one.version}"
                found |= {(point.value.replace(" ", ""), release) for point in points}
    yield from sorted(found)


def _folders() -> list[str]:
    paths = sysconfig.get_paths()
    own = [paths["purelib"], paths["platlib"], *site.getsitepackages()]
    if site.ENABLE_USER_SITE:
        own.append(site.getusersitepackages())
    return list(dict.fromkeys(own))
