"""What another value of a parameter changes: `Project.parameter_impact`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import HdlgraphError, UsageError
from hdlgraph.project.hardware.elaboration import DEFAULT, Elaboration

if TYPE_CHECKING:
    from hdlgraph.index.elaborate.design import Design
    from hdlgraph.store.design.elaborated import Configuration

_IMPACT = re.compile(r"(.+)\.([A-Za-z_][\w$]*)(?:=([^\0\n]{1,1000}))?")

NOT_ELABORATED = "from the text alone, not elaborated"


class Parameters(Elaboration):
    """The part of a project for what another value of a parameter changes."""

    def parameter_impact(self, change: str, config: str = DEFAULT) -> dict[str, Any]:
        """Returns what another value of a parameter changes: two elaborations side by side.

        A top of the configuration is elaborated with its parameters and defines; any other unit
        by itself, with the configuration's defines where there is one. `written` are the uses in
        the text; where no value is named, or the unit cannot be elaborated, they are all there
        is: then `elaborated` is false, and `notes` say why.

        Args:
            change: UNIT.NAME=VALUE, or UNIT.NAME for the uses in the text alone.
            config: the configuration to start from; it need not exist where it is the default.

        Raises:
            UsageError: there is no such unit or parameter, or no such configuration.
        """
        match = _IMPACT.fullmatch(change.strip())
        if match is None:
            raise UsageError(f"--parameter {change[:200]!r}: write UNIT.NAME=VALUE")
        unit, name, value = match.groups()
        kept = self._kept(config)
        if kept is None and config != DEFAULT:
            raise self._no_configuration(config)
        uses = self._written(unit, name)
        head = {"schema": 1, "parameter": f"{unit}.{name}", "elaborated": True, "written": uses}
        overridden = self._uses(f"{unit.rpartition('#')[2]}.{name}")
        try:
            if value is None:
                raise HdlgraphError("no value was named") if uses else self._unknown(unit, name)
            base, compared = self._compared(unit, name, value, config, kept)
        except HdlgraphError as error:
            if uses is None or (isinstance(error, UsageError) and "to set" in str(error)):
                raise
            moved = self.moved()
            notes = [f"{NOT_ELABORATED}: {error}", *self._note_on(moved)]
            compared = {**head, "elaborated": False, "uses": overridden}
            return {**compared, "notes": notes, "stale": moved.to_dict()}
        return self._with_notes({**head, **compared, "uses": overridden}, base)

    def _unknown(self, unit: str, name: str) -> UsageError:
        """Returns what to say of a parameter that there is not.

        Raises:
            UsageError: there is no such unit.
        """
        from hdlgraph.index.elaborate.tops import named_tops

        named_tops(self._context().design, [unit])
        nodes = self.graph().nodes
        of, kinds = f"{unit.rpartition('#')[2]}.", nodes.column("kind")
        rows = (row for row, one in enumerate(nodes.column("name")) if one.startswith(of))
        known = {nodes.column("name")[row] for row in rows if kinds[row] == "parameter"}
        listed = ", ".join(sorted(one.removeprefix(of) for one in known)[:20]) or "none"
        return UsageError(f"{unit} has no parameter {name!r} to set; it has {listed}")

    def _compared(
        self, unit: str, name: str, value: str, config: str, kept: Configuration | None
    ) -> tuple[Configuration, dict[str, Any]]:
        """Returns the elaboration before, and what differs after."""
        from hdlgraph.query.elaborated.compare import compare
        from hdlgraph.query.elaborated.view import SCHEMA, View

        context = self._context()
        rows, parameters = self._start(context.design, unit, kept)
        defines = kept.defines if kept else self.manifest().defines
        base = self._elaborated(context, config, rows, parameters, defines, None, own=True)
        others = [one for one in parameters if one.partition("=")[0] != name]
        new = [*others, f"{name}={value}"]
        after = self._elaborated(context, config, rows, new, defines, None, own=True)
        return base, {
            "schema": SCHEMA,
            "before": _value(base, unit, name),
            "after": _value(after, unit, name),
            "config": kept.name if kept else "",
            "tops": [top for top, _ in base.result.tops],
            "errors": {"before": base.result.errors, "after": after.result.errors},
            **self._declared(compare(View(base), View(after))),
        }

    def _written(self, unit: str, name: str) -> dict[str, Any] | None:
        """Returns the uses of a parameter in the text, None where no unit declares it."""
        from hdlgraph.query.elaborated.written import written
        from hdlgraph.query.signals.design import Design as Units
        from hdlgraph.store.design.facts import read_facts
        from hdlgraph.store.design.flows import FOLDER, Flows

        held, graph = self._held_graph()
        held.check("facts.msgpack", FOLDER)
        design = Units(graph, Flows(held.folder))
        return written(read_facts(held.folder), design, unit, name)

    def _declared(self, found: dict[str, Any]) -> dict[str, Any]:
        """Returns differences whose parameters and ports stand where the graph has them declared.

        The elaboration keeps the place of their unit alone.
        """
        graph = self.graph()
        lines = graph.nodes.column("line")
        for key, kind in (("values", "parameter"), ("widths", "port")):
            for one in found[key]:
                path = one["location"].rpartition(":")[0]
                row = graph.row(f"{kind}:{path}#{one['unit']}.{one['name']}")
                if row >= 0:
                    one["location"] = f"{path}:{lines[row]}"
        return found

    def _uses(self, name: str) -> list[dict[str, Any]]:
        """Returns where instances override a parameter, as the design graph has it."""
        from hdlgraph.query.design.show import show

        try:
            found = show(self.graph(), name)["definitions"]
        except UsageError:
            return []
        return [use for one in found for use in one.get("overrides", ())]

    def _start(
        self, design: Design, unit: str, kept: Configuration | None
    ) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """Returns the tops to elaborate for a change in a unit, and their parameters."""
        from hdlgraph.index.elaborate.tops import named_tops

        if kept is not None:
            rows = tuple(design.graph.row(one) for one in kept.tops)
            if min(rows) >= 0 and any(unit in (design.names[row], kept.tops[0]) for row in rows):
                return rows, kept.parameters
        return tuple(named_tops(design, [unit])), ()


def _value(found: Configuration, unit: str, name: str) -> str:
    """Returns the value of a parameter of a top."""
    name_of_unit = unit.rpartition("#")[2]
    for _, body in found.result.tops:
        here = found.result.bodies[body]
        if found.result.units[here.unit].name == name_of_unit:
            return next((one.value for one in here.parameters if one.name == name), "")
    return ""
