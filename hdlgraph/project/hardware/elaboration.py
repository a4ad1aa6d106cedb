"""Elaborations: `Project.elaborate`, `elaborations`, `elaborated_tree`, `elaborated_show`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import HdlgraphError, UsageError
from hdlgraph.project.repository import Repository

if TYPE_CHECKING:
    from hdlgraph.index.elaborate.run import Context, Limits
    from hdlgraph.query.elaborated.view import View
    from hdlgraph.store.design.elaborated import Configuration

DEFAULT = "default"
"""The configuration that is meant where no name is given."""
OTHERS, TRIED = 10, 5
"""Further tops that a report lists, and tops that are tried until one is there."""
_PARAMETER = re.compile(r"(?:\\\S+|[A-Za-z_][\w$]*)=[^\0\n]{1,1000}", re.DOTALL)
_DEFINE = re.compile(r"[A-Za-z_][\w$]*(?:=[^\0\n]{0,1000})?")
MOST = 1000
"""Parameters, and defines, of one elaboration."""


class Elaboration(Repository):
    """The part of a project that elaborates the design and answers from what that found.

    A configuration is one elaboration under a name: its tops, parameters and defines. It is kept
    in the index folder beside others, and says nothing about the design graph, which stays.
    """

    def elaborate(
        self,
        tops: Sequence[str] = (),
        parameters: Sequence[str] = (),
        defines: Sequence[str] = (),
        name: str = DEFAULT,
        fresh: bool = False,
    ) -> dict[str, Any]:
        """Elaborates the design and returns the report; where nothing changed, the former one.

        The files are found by themselves, along the edges of the design graph.

        Args:
            tops: names of modules, or ids of their nodes; by default the unit with the largest
                hierarchy among those of the design that nothing instantiates.
            parameters: NAME=VALUE, of the tops.
            defines: NAME or NAME=VALUE, besides those of the filelist of the index.
            name: of the configuration, which is replaced.
            fresh: elaborate even where nothing changed.

        Raises:
            UsageError: there is no index, no such top, or no such parameter.
            HdlgraphError: it takes too much memory or time; the former configuration stays.
        """
        from hdlgraph.index.elaborate.tops import named_tops
        from hdlgraph.query.elaborated.report import report
        from hdlgraph.query.elaborated.view import View
        from hdlgraph.store.design.configurations import check_name, write_configuration

        check_name(name)
        context = self._context()
        former = None if fresh else self._kept(name)
        others: list[dict[str, Any]] = []
        if tops:
            rows = tuple(named_tops(context.design, tops))
            found = self._elaborated(context, name, rows, parameters, defines, former)
        else:
            found, others = self._largest(context, name, parameters, defines, former)
        if found is not former:
            write_configuration(self.folder, found)
        answer = {**report(View(found)), "reused": found is former, "other_tops": others}
        return self._with_notes(answer, found)

    def _largest(
        self,
        context: Context,
        name: str,
        parameters: Sequence[str],
        defines: Sequence[str],
        former: Configuration | None,
    ) -> tuple[Configuration, list[dict[str, Any]]]:
        """Returns the elaboration of the largest top that there is, and the next tops."""
        from hdlgraph.index.elaborate.run import TopMissingError
        from hdlgraph.index.elaborate.tops import find_tops

        design = context.design
        left_out: list[int] = []
        note = ""
        while len(left_out) < TRIED and (tops := find_tops(design, context.roles, left_out)):
            top, *others = tops
            try:
                found = self._elaborated(context, name, (top.row,), parameters, defines, former)
            except TopMissingError as error:  # an `ifdef leaves it out
                note = note or str(error)
                left_out.append(top.row)
                continue
            return found, [
                {
                    "name": design.names[one.row],
                    "location": design.place(one.row),
                    "units": one.size,
                }
                for one in others[:OTHERS]
            ]
        raise UsageError(
            note
            or "no unit of the design is a top: each is instantiated somewhere; name one with --top"
        )

    def elaborated_note(self) -> str:
        """Elaborates the design after an index run; returns a line on it, whatever comes of it."""
        try:
            done = self.elaborate()
        except HdlgraphError as error:
            return f"not elaborated: {error}"
        tops = ", ".join(top["name"] for top in done["tops"])
        return (
            f"elaborated {tops or 'nothing'}: {done['instances']} instances, "
            f"{done['errors']} errors, {done['warnings']} warnings"
        )

    def elaborations(self) -> dict[str, Any]:
        """Returns the configurations that the index folder holds: `{schema, configurations}`."""
        from hdlgraph.query.elaborated.report import head
        from hdlgraph.query.elaborated.view import SCHEMA, View
        from hdlgraph.store.design.configurations import configuration_names, read_configuration

        self.manifest()
        listed = []
        for name in configuration_names(self.folder):
            found = read_configuration(self.folder, name)
            if found is not None:
                listed.append({**head(View(found)), "changed": self._changed(found)})
        return {"schema": SCHEMA, "configurations": listed, "notes": []}

    def elaborated_tree(
        self, top: str = "", depth: int = 3, config: str = DEFAULT
    ) -> dict[str, Any]:
        """Returns the instance tree of a configuration, with values, generates and definitions.

        Raises:
            UsageError: there is no such configuration, or it has no unit called `top`.
        """
        from hdlgraph.query.elaborated.tree import elaborated_tree

        view = self._view(config)
        return self._with_notes(elaborated_tree(view, top.strip(), depth), view.found)

    def elaborated_show(self, name: str, config: str = DEFAULT) -> dict[str, Any]:
        """Returns what `show` says of a name, with what it became in a configuration.

        Raises:
            UsageError: there is no such configuration, or nothing has that name.
        """
        from hdlgraph.query.design.show import show
        from hdlgraph.query.elaborated.show import with_elaborated

        view = self._view(config)
        return self._with_notes(with_elaborated(view, show(self.graph(), name)), view.found)

    def _elaborated(
        self,
        context: Context,
        name: str,
        rows: tuple[int, ...],
        parameters: Sequence[str],
        defines: Sequence[str],
        former: Configuration | None,
        own: bool = False,
    ) -> Configuration:
        from hdlgraph.index.elaborate.plan import Asked
        from hdlgraph.index.elaborate.run import run_elaboration

        _check("-P", parameters, _PARAMETER, "NAME=VALUE")
        _check("-D", defines, _DEFINE, "NAME or NAME=VALUE")
        given = {} if own else _by_name(self.manifest().defines)
        merged = tuple((given | _by_name(defines)).values())
        asked = Asked(rows, tuple(parameters), merged)
        return run_elaboration(context, name, asked, self._limits(), former)

    def _context(self) -> Context:
        from hdlgraph.index.elaborate.design import Design
        from hdlgraph.index.elaborate.run import Context
        from hdlgraph.index.request import program_digest

        held, graph = self._held_graph()
        roles = {path: entry.role for path, entry in held.manifest.files.items()}
        return Context(self.root, Design(graph), roles, program_digest())

    def _limits(self) -> Limits:
        from hdlgraph.index.elaborate.run import Limits

        taken = self.settings.elaborate
        return Limits(taken.memory_mb, taken.deadline_s)

    def _kept(self, name: str) -> Configuration | None:
        """Returns a configuration, None where there is none or where it is damaged."""
        from hdlgraph.errors import IndexDamagedError
        from hdlgraph.store.design.configurations import read_configuration

        try:
            return read_configuration(self.folder, name)
        except IndexDamagedError:
            return None

    def _view(self, name: str) -> View:
        from hdlgraph.query.elaborated.view import View
        from hdlgraph.store.design.configurations import read_configuration

        self.manifest()
        found = read_configuration(self.folder, name)
        if found is None:
            raise self._no_configuration(name)
        return View(found)

    def _no_configuration(self, name: str) -> UsageError:
        from hdlgraph.store.design.configurations import configuration_names

        known = ", ".join(configuration_names(self.folder)) or "none"
        return UsageError(
            f"configuration {name!r}: there is none (kept: {known}); make it with "
            f"`hdlgraph elaborate --name {name}`"
        )

    def _changed(self, found: Configuration) -> list[str]:
        """Returns the files of a configuration that the index has in another form, or no more."""
        files = self.manifest().files
        return [
            path
            for path, digest in found.files
            if path not in files or files[path].sha256 not in ("", digest)
        ]

    def _with_notes(self, answer: dict[str, Any], found: Configuration) -> dict[str, Any]:
        """Returns an answer with its notes, and with what moved since the index was made."""
        moved = self.moved()
        notes = list(self._note_on(moved))
        changed = self._changed(found)
        if changed:
            some = ", ".join(changed[:3]) + (", ..." if len(changed) > 3 else "")
            notes.append(
                f"configuration {found.name} was elaborated from other contents of "
                f"{len(changed)} files ({some}); run `hdlgraph elaborate` again"
            )
        return {**answer, "notes": notes, "stale": moved.to_dict()}


def _check(option: str, given: Sequence[str], form: re.Pattern[str], words: str) -> None:
    if len(given) > MOST:
        raise UsageError(f"{option}: is given more than {MOST} times")
    for one in given:
        if not form.fullmatch(one):
            raise UsageError(f"{option} {one[:200]!r}: write {words}")


def _by_name(defines: Sequence[str]) -> dict[str, str]:
    return {one.partition("=")[0]: one for one in defines}
