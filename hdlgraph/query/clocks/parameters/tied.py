"""Inputs of instances that are tied to a constant, and the choices and branches that leaves."""

from __future__ import annotations

from hdlgraph.query.clocks.keys import CHOICE, COPY, Key, chosen, form_of, is_among
from hdlgraph.query.clocks.parameters.arithmetic import Value, evaluate
from hdlgraph.query.clocks.parameters.values import Instances, Values
from hdlgraph.query.clocks.records import Driver
from hdlgraph.query.signals.machines.choices import leaves


class Tied:
    """The constants at the inputs of the instances of a network."""

    def __init__(self, network: Instances, values: Values) -> None:
        self._network, self._values = network, values
        self._kept: dict[int, dict[str, Value]] = {}
        self._dead: dict[tuple[int, int], bool] = {}

    def of(self, at: int) -> dict[str, Value]:
        """Returns the inputs of an instance that are constant, with their values."""
        found = self._kept.get(at)
        if found is None:
            found = self._kept[at] = self._find(at) if at else {}
        return found

    def _find(self, at: int) -> dict[str, Value]:
        network, found = self._network, dict[str, Value]()
        outer = network.parents[at]
        for port, actual in network.part(at).actuals.items():
            value: Value | None = None
            if actual.value:
                value = evaluate(actual.value, lambda name: self._values.value(outer, name))
            elif len(actual.keys) == 1 and len(actual.keys[0]) == 1 and actual.form == COPY:
                value = self.of(outer).get(actual.keys[0][0])
            if value is not None:
                found[port] = value
        return found

    def _value(self, at: int, name: str) -> Value | None:
        found = self.of(at).get(name)
        return self._values.value(at, name) if found is None else found

    def lets(self, at: int, driver: Driver) -> bool:
        """Returns whether no test around an assignment is false by what is tied."""
        if driver.place < 0 or not self.of(at):
            return True
        key = (at, driver.place)
        if key not in self._dead:
            self._dead[key] = self._is_dead(at, driver.place)
        return not self._dead[key]

    def _is_dead(self, at: int, place: int) -> bool:
        guards = self._network.unit(at).view.flow.guards
        while place >= 0:
            one = guards[place]
            if one.kind == "if" and evaluate(one.text, lambda name: self._value(at, name)) == 0:
                return True
            place = one.outer
        return False

    def chosen(self, at: int, driver: Driver) -> tuple[Key, ...]:
        """Returns the names of a value without those that what is tied never chooses."""
        if driver.form != CHOICE or not driver.text or not self.of(at):
            return driver.keys
        live = [value for value, tests in leaves(driver.text) if self._may(at, tests)]
        names = {name for value in live for name in chosen(value)}
        return tuple(one for one in driver.keys if is_among(one, names)) if live else driver.keys

    def live(self, at: int, text: str) -> tuple[str, set[str]]:
        """Returns the form and names of a choice without what constants never choose."""
        found = [value for value, tests in leaves(text) if self._may(at, tests)]
        if len(found) == 1:
            return form_of(found[0], 1), chosen(found[0])
        return CHOICE, {name for value in found for name in chosen(value)} or chosen(text)

    def _may(self, at: int, tests: tuple[tuple[str, bool], ...]) -> bool:
        for test, holds in tests:
            value = evaluate(test, lambda name: self._value(at, name))
            if value is not None and not isinstance(value, str) and bool(value) != holds:
                return False
        return True
