"""Which declaration a name means where several generate blocks of a unit declare it."""

from __future__ import annotations

from hdlgraph.model.flow import Block, Declared, Flow

Homes = frozenset[int] | None
"""The generate conditions whose blocks declare what is meant, -1 for the unit; None for any."""


class Scopes:
    """The declarations of one unit that share their names (IEEE 1800, clause 27).

    A signal of a generate block is called by its path in the unit, `g_lane.sum`. The name alone
    means that of the unit, or those of all blocks where the unit declares none.
    """

    def __init__(self, flow: Flow) -> None:
        self._guards = flow.guards
        self._by_name: dict[str, dict[int, Declared]] = {}
        self._by_whole: dict[str, list[Declared]] = {}
        for one in flow.declared:
            self._by_name.setdefault(one.name, {})[one.guard] = one
            if one.guard >= 0:
                self._by_whole.setdefault(one.whole, []).append(one)

    def home(self, name: str, guard: int) -> int:
        """Returns the generate condition whose block declares a name as a place sees it, or -1."""
        found = self._by_name.get(name.partition(".")[0])
        while found and guard >= 0:
            if guard in found:
                return guard
            guard = self._guards[guard].outer
        return -1

    def is_at(self, name: str, guard: int, homes: Homes) -> bool:
        """Returns whether a name means one of some declarations at a place."""
        return homes is None or self.home(name, guard) in homes

    def whole(self, name: str, guard: int) -> str:
        """Returns a name, at a place that sees that of a block with the path of the block."""
        home = self.home(name, guard) if self._by_name else -1
        if home < 0:
            return name
        base, dot, rest = name.partition(".")
        return self._by_name[base][home].whole + dot + rest

    def meant(self, signal: str) -> tuple[str, Homes]:
        """Returns the name that a signal has inside its block, and its declarations."""
        if not self._by_name:
            return signal, None
        owner = self.owner(signal)
        if owner:
            found = self._by_whole[owner]
            return found[0].name + signal[len(owner) :], frozenset(one.guard for one in found)
        is_own = -1 in self._by_name.get(signal.partition(".")[0], {})
        return signal, frozenset({-1}) if is_own else None

    def owner(self, signal: str) -> str:
        """Returns the part of a name that is the path of a signal in a block, "" for none."""
        at = signal.find(".") if self._by_whole else -1
        while at >= 0:
            at = signal.find(".", at + 1)
            part = signal if at < 0 else signal[:at]
            if part in self._by_whole:
                return part
        return ""

    def base(self, name: str, guard: int) -> str:
        """Returns the signal that a name is a part of, at a place: the name without members."""
        whole = self.whole(name, guard)
        return self.owner(whole) or whole.partition(".")[0]

    def of_line(self, name: str, line: int) -> str:
        """Returns how the signal of a name that a line declares is called in the unit."""
        found = self._by_name.get(name, {}).values()
        return next((one.whole for one in found if one.line == line), name)

    def line_of(self, signal: str) -> int:
        """Returns the line of the declaration that a signal means, 0 where there is but one."""
        name, homes = self.meant(signal)
        found = self._by_name.get(name.partition(".")[0], {})
        lines = [one.line for one in found.values() if homes is None or one.guard in homes]
        return min(lines, default=0)

    def wholes(self, name: str) -> list[str]:
        """Returns what the signals of a name are called in the blocks of the unit."""
        found = self._by_name.get(name, {}).values()
        return list(dict.fromkeys(one.whole for one in found if one.guard >= 0))


def guard_of(flow: Flow, block: Block) -> int:
    """Returns the generate condition around a process, -1 for none or one without statements."""
    if block.guards < block.guards_end:
        return flow.guards[block.guards].outer
    return block.steps[0].guard if block.steps else -1
