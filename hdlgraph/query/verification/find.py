"""Answers what exercises a unit, or what a test or class of a testbench is: `testbench NAME`."""

from __future__ import annotations

import difflib
from typing import Any

from hdlgraph.errors import UsageError
from hdlgraph.graph.graph import Graph
from hdlgraph.model import Location
from hdlgraph.query.verification.benches import DEFAULT_LIMIT, Benches
from hdlgraph.query.verification.config import Settings
from hdlgraph.query.verification.describe import Described
from hdlgraph.query.verification.links import Links
from hdlgraph.store.design.verification import Code

SUGGESTED = 5
MEANT = 10
"""Definitions of one name that are described."""


class Verification:
    """What is known of the verification of one design; parts are made when first needed."""

    def __init__(self, graph: Graph, code: Code) -> None:
        self.benches = Benches(graph, code)
        self.library = self.benches.library
        self._described: Described | None = None

    @property
    def described(self) -> Described:
        """Returns what describes classes, tests and keys."""
        if self._described is None:
            settings = Settings(self.benches)
            self._described = Described(self.benches, Links(self.library), settings)
        return self._described

    def find(self, name: str, limit: int = 0) -> dict[str, Any]:
        """Returns what a name is in the verification of the design.

        The first of these that has the name counts: a module, interface or program (`unit`), a
        class (`class`), a test of a list (`test`), a key of the configuration database (`key`), a
        function of DPI (`function`).

        Args:
            name: the name; also the id of a node, or PATH:LINE of one of several definitions.
            limit: most entries of each list; 0 for few.

        Raises:
            UsageError: nothing has the name; the message holds the nearest names.
        """
        most = limit or DEFAULT_LIMIT
        wanted = name.strip()
        if not wanted:
            return {"schema": 1, "name": "", "kind": "overview", **self.described.overview(most)}
        for kind, found in (
            ("unit", self._units(wanted, most)),
            ("class", self._classes(wanted, most)),
            ("test", self._tests(wanted, most)),
            ("key", self._keys(wanted, most)),
            ("function", self.described.of_function(wanted)[:most]),
        ):
            if found:
                return {"schema": 1, "name": wanted, "kind": kind, "found": found}
        raise UsageError(self._unknown(wanted))

    def _units(self, wanted: str, most: int) -> list[dict[str, Any]]:
        benches = self.benches
        row = benches.units.graph.row(wanted)
        rows = [row] if row >= 0 else benches.rows(wanted.rpartition("#")[2])
        if row >= 0 and benches.units.kinds[row] not in ("module", "interface", "program"):
            return []
        found = []
        for one in rows[:MEANT]:
            above, bound = benches.of(one), benches.bound(one)
            programs = list(benches.programs(one))
            found.append(
                {
                    **benches.units.place(one),
                    "testbenches": [benches.to_dict(bench, most) for bench in above[:most]],
                    "n_testbenches": len(above),
                    "programs": programs[:most],
                    "n_programs": len(programs),
                    "bound": bound[:most],
                    "n_bound": len(bound),
                }
            )
        return found

    def _classes(self, wanted: str, most: int) -> list[dict[str, Any]]:
        name = wanted.rpartition("#")[2].rpartition("::")[2].rpartition(".")[2]
        found = self.library.named(name)
        exact = [one for one in found if wanted.startswith("class:") and one.path in wanted]
        return [self.described.of_class(one, most) for one in (exact or found)[:MEANT]]

    def _tests(self, wanted: str, most: int) -> list[dict[str, Any]]:
        return [
            self.described.of_test(list_, test, most)
            for list_, test in self.described.listed()
            if test.name == wanted
        ][:MEANT]

    def _keys(self, wanted: str, most: int) -> list[dict[str, Any]]:
        settings = self.described.settings
        known = any(one.act.left == wanted for one in (*settings.sets, *settings.gets))
        return [self.described.of_key(wanted, most)] if known else []

    def _unknown(self, wanted: str) -> str:
        short = wanted[:200]
        units = self.benches.units
        places = {
            name: str(Location(units.paths[rows[0]], units.lines[rows[0]]))
            for name, rows in self.benches.by_name().items()
            if units.paths[rows[0]]
        }
        places |= {one.name: str(Location(one.path, one.line)) for one in self.library.all()}
        places |= {
            test.name: str(Location(test.path, test.line)) for _, test in self.described.listed()
        }
        near = difflib.get_close_matches(short[:100], places, n=SUGGESTED, cutoff=0.6)
        hint = ", ".join(f"{one} ({places[one]})" for one in near)
        end = f"did you mean {hint}?" if near else "`hdlgraph testbench` lists the testbenches"
        return f"no unit, class, test, key or DPI function is called {short!r}; {end}"
