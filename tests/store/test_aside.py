"""Work that is done aside lets what it is done beside go first."""

from __future__ import annotations

import os
import sys
import threading

import pytest

from hdlgraph.store.checksums import LATER, Aside, at_once


def niceness(_: object = None) -> int:
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


@pytest.mark.skipif(sys.platform != "linux", reason="threads have a niceness of their own on Linux")
def test_a_thread_aside_and_those_that_it_starts_give_way() -> None:
    mine = niceness()
    aside = Aside(lambda: [niceness(), *at_once(niceness, range(8))])
    assert {*aside.result()} == {min(mine + LATER, 19)}
    assert niceness() == mine
    assert {*at_once(niceness, range(8))} == {mine}


def test_a_failure_aside_is_told_by_who_asks_for_the_result() -> None:
    aside = Aside(lambda: [][0])
    with pytest.raises(IndexError):
        aside.result()
