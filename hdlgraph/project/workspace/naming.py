"""Exact answers from several repositories: `Workspace.show` and `Workspace.who`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import UsageError
from hdlgraph.project.design import UNKNOWN
from hdlgraph.project.workspace.crossing import Crossing
from hdlgraph.project.workspace.members import Members, Outcomes
from hdlgraph.project.workspace.searching import not_asked
from hdlgraph.safety.printable import visible

if TYPE_CHECKING:
    from hdlgraph.project import Project

SUGGESTED = "; did you mean "


class Naming:
    """The part of a workspace that answers from the design graphs.

    A name may begin with a repository, as in `soc:uart_rx`: then only what that one defines is
    meant, and of the others what they use of it.

    Args:
        members: the repositories.
    """

    def __init__(self, members: Members) -> None:
        self.members = members

    def show(self, name: str, limit: int | None = 50) -> dict[str, Any]:
        """Returns everything known of a name: its definitions in all repositories, who uses them.

        Each object with a place has its `repository`. A definition has `copies`, what other
        repositories define under its name and whether that is the same; what its repository does
        not define has `defined_in`, where others do.

        Args:
            name: the name.
            limit: the greatest number of definitions, users and connections of each; None for all.

        Raises:
            UsageError: no repository has that name.
        """
        outcomes, name, only = self._asked(name, lambda project, plain: project.show(plain, limit))
        crossing = Crossing(self.members, outcomes.given)
        defined, outside = crossing.sorted(outcomes.given, "definitions")
        crossing.compare(defined)
        defined = _of(defined, only)
        crossing.resolve([*defined, *outside])
        if defined:
            crossing.add_parents(defined, outside)
        listed = defined or outside
        total = sum(found["total"] for found in outcomes.given.values())
        return {
            "schema": 1,
            "name": name,
            "definitions": listed if limit is None else listed[:limit],
            "total": total if not defined else len(defined),
            **self._ending(outcomes, crossing.notes(name, defined)),
        }

    def who(self, name: str, limit: int | None = 200) -> dict[str, Any]:
        """Returns who declares a name and who uses it, in all repositories.

        A user whose own repository does not define the name has `defined_in`: where others do,
        and whether the ports that it connects `fits` these.

        Args:
            name: the name.
            limit: the greatest number of users of each repository; None for all.

        Raises:
            UsageError: no repository has that name.
        """
        outcomes, name, only = self._asked(name, lambda project, plain: project.who(plain, limit))
        crossing = Crossing(self.members, outcomes.given)
        targets, outside = crossing.sorted(outcomes.given, "targets")
        users = crossing.users(outcomes.given, outside, only)
        crossing.compare(targets)
        targets = _of(targets, only)
        listed = targets or outside
        given = {one: found for one, found in outcomes.given.items() if not only or one == only}
        total = sum(found["total"] for found in given.values())
        total += sum(one["repository"] not in given for one in users)
        return {
            "schema": 1,
            "name": name,
            "targets": listed,
            "users": users,
            "total": total,
            **self._ending(outcomes, crossing.notes(name, targets)),
        }

    def _asked(
        self, name: str, ask: Callable[[Project, str], dict[str, Any]]
    ) -> tuple[Outcomes, str, str]:
        """Returns what each repository answers for a name, the plain name, and whose it is."""
        only, colon, plain = name.strip().partition(":")
        if not colon or only not in self.members.entries or not plain.strip():
            only, plain = "", name.strip()
        unknown: dict[str, str] = {}

        def one(project: Project) -> dict[str, Any] | None:
            try:
                return ask(project, plain)
            except UsageError as error:
                if not str(error).startswith(UNKNOWN):
                    raise
                return {"unknown": str(error)}

        outcomes = self.members.each(one)
        for repository, found in outcomes.given.items():
            if found and "unknown" in found:
                unknown[repository] = found["unknown"]
        given = {name: found for name, found in outcomes.given.items() if name not in unknown}
        if not given or (only and only not in given):
            raise UsageError(_nowhere(plain, only, unknown, outcomes.problems))
        return Outcomes(given, outcomes.problems), plain, only

    def _ending(self, outcomes: Outcomes, notes: Sequence[str]) -> dict[str, Any]:
        """Returns what every answer ends with: repositories, notes, and what moved."""
        members = [
            {"name": name, "label": entry.label, "error": outcomes.problems.get(name, "")}
            for name, entry in self.members.entries.items()
        ]
        member_notes = [
            f"{name}: {note}"
            for name, found in outcomes.given.items()
            for note in found["notes"]
            if "units are called" not in note  # told of all repositories together
        ]
        stale = {
            name: found["stale"]
            for name, found in outcomes.given.items()
            if any(found["stale"].get(key) for key in ("added", "changed", "removed", "unchecked"))
        }
        return {
            "repositories": members,
            "notes": [*not_asked(outcomes.problems), *notes, *member_notes],
            "stale": stale,
        }


def _of(defined: list[dict[str, Any]], only: str) -> list[dict[str, Any]]:
    """Returns the definitions of one repository, of all for ""."""
    return [one for one in defined if not only or one["repository"] == only]


def _nowhere(name: str, only: str, unknown: Mapping[str, str], problems: Mapping[str, str]) -> str:
    """Returns the message that no repository has a name, with the nearest names of each."""
    near = {
        repository: message.partition(SUGGESTED)[2].rstrip("?")
        for repository, message in unknown.items()
        if SUGGESTED in message and (not only or repository == only)
    }
    asked = only or ", ".join(unknown)
    error = f"{UNKNOWN} {visible(name[:200])!r} in {asked}"
    if near:
        error += SUGGESTED + "; ".join(f"{who}: {names}" for who, names in near.items()) + "?"
    if problems:
        error += f" (not asked: {', '.join(problems)})"
    return error
