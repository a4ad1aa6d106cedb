"""Which of several requests is served next: by priority, or in turn."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hdlgraph.model import Operation
from hdlgraph.parsers.operations.code import Code

_N = r"[A-Za-z_]\w*"
_LOWEST = re.compile(
    rf"(?P<a>{_N})&\(?(?:~\(?(?P<b>{_N})-(?:\d*'[bdh])?0*1|\(?~(?P<c>{_N})\)?\+(?:\d*'[bdh])?0*1"
    rf"|-(?P<d>{_N}))"
)
_REQUEST = re.compile(r"(^|[^a-z])(reqs?|requests?|req_v|reqs_v|valids?|vld)(_|$)", re.I)
_GRANT = re.compile(r"(^|[^a-z])(gnts?|grants?|gnt_v|grants_v|win(ner)?)(_|$)", re.I)
_TURN = re.compile(
    r"(^|_)(rr|round_?robin|last_?(gnt|grant|granted|winner|req|served)?|mask|rotate|turn"
    r"|rr_?(ptr|state)|pri(o|ority)(_?(ptr|reg|q|r))?)(_|$)",
    re.I,
)
_ROTATES = re.compile(rf"\{{({_N}),\1\}}(?:>>|<<|&)")


def arbiters(code: Code) -> Iterator[Operation]:
    """Yields where requests are granted, in turn or by priority.

    In turn: besides requests and grants there is a register that remembers whose turn it is.
    """
    requests = [p.name for p in code.unit.ports if _REQUEST.search(p.name)]
    grants = [p.name for p in code.unit.ports if _GRANT.search(p.name)]
    turn = next((name for name in sorted(code.by_name) if _is_turn(code, name)), "")
    if requests and grants and turn:
        at = next(one.at for one in code.by_name[turn] if one.clocked)
        yield Operation("arbitrates", (requests[0], grants[0], turn), code.line(at), "round-robin")
        return
    seen: set[str] = set()
    for one in code.assignments:
        match = _LOWEST.search(one.right) if "&" in one.right else None
        name = match["a"] if match else ""
        if match and name == (match["b"] or match["c"] or match["d"]) and name not in seen:
            seen.add(name)
            yield Operation("picks lowest", (one.name, name), code.line(one.at))


def _is_turn(code: Code, name: str) -> bool:
    """Returns whether a register is named for turns and takes its value from the grants."""
    if not _TURN.search(name):
        return False
    return any(
        one.clocked
        and (_GRANT.search(one.right) or _ROTATES.search(one.right) or _used(code, one.right))
        for one in code.by_name[name]
    )


def _used(code: Code, right: str) -> bool:
    """Returns whether a value is made of grants or requests by one more assignment."""
    return any(
        _GRANT.search(other.right) or _REQUEST.search(other.right)
        for other in code.by_name.get(right, ())
    )
