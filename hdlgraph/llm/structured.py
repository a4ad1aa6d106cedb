"""JSON from a language model: read with patience, checked by the caller, asked again once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, TypeVar

import msgspec

from hdlgraph.errors import CallError, ErrorKind
from hdlgraph.llm.call import Call, Model
from hdlgraph.llm.endpoint.bounds import MOST_DEPTH, plain
from hdlgraph.llm.tokens import clip_tokens

T = TypeVar("T")

MAX_CHARS = 400_000  # of an answer; longer ones are not read
REPAIR_CHARS = 32_000  # of a damaged answer; reading one takes time that grows with its faults
REPAIR_OPENINGS = 400  # brackets of it; beyond thousands, reading one takes a minute
REPAIR_FENCES = 3  # code blocks of an answer, the longest
MAX_STARTS = 64  # places at which an object may begin
SHOWN_TOKENS = 600  # of an unusable answer, in the second call
_FENCE = re.compile(r"```[a-zA-Z0-9_-]*[ \t]*\n?(.*?)(?:```|\Z)", re.S)
_BRACKET = re.compile(r"[{\[(]")
_THOUGHT = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.S)
_OPENING = re.compile(r"""\{\s*["']\w""")
_TOO_DEEP = "its objects are nested too deep"
_BAD_SHAPE = (ValueError, LookupError, TypeError, AttributeError, msgspec.MsgspecError)

_REPAIR = (
    "Your answer cannot be used: {problem}. Answer again: one JSON object as asked for above, "
    "complete, and nothing before or after it."
)


def parse_json(text: str) -> dict[str, Any]:
    """Returns the JSON object of an answer.

    Code fences, prose around the object, the thoughts of a reasoning model, trailing commas,
    single quotes, comments and a cut end are tolerated. Of several objects the longest counts.
    The values are as untrusted as the answer: nothing is evaluated, and types are not checked.

    Raises:
        ValueError: there is no object in it.
    """
    if len(text) > MAX_CHARS:
        raise ValueError(f"it has {len(text)} characters")
    text = _THOUGHT.sub("", text.lstrip("\ufeff"), count=1)
    for read in (_whole, _inside, _repaired):
        try:
            found = read(text)
        except RecursionError:
            raise ValueError(_TOO_DEEP) from None
        if found is not None:
            cleaned: dict[str, Any] = _clean(found)
            return cleaned
    raise ValueError("it holds no JSON object" if text.strip() else "it is empty")


def _whole(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text, strict=False, parse_constant=_nothing)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _inside(text: str) -> dict[str, Any] | None:
    """Returns the longest complete object in the text."""
    decoder = json.JSONDecoder(strict=False, parse_constant=_nothing)
    size, best, end = 2, None, 0  # "{}" in prose is no answer
    for start in _starts(text):
        if start < end:
            continue  # inside an object already read
        try:
            found, end = decoder.raw_decode(text, start)
        except ValueError:
            if _OPENING.match(text, start):
                return None  # a damaged object: complete ones behind it may be its parts
            continue
        if end - start > size and isinstance(found, dict):
            size, best = end - start, found
    return best


def _starts(text: str) -> Iterator[int]:
    place = -1
    for _ in range(MAX_STARTS):
        place = text.find("{", place + 1)
        if place < 0:
            return
        yield place


def _repaired(text: str) -> dict[str, Any] | None:
    """Returns what can be read of a damaged object."""
    import json_repair

    fenced = [part for part in _FENCE.findall(text) if "{" in part]
    for part in (*sorted(fenced, key=len, reverse=True)[:REPAIR_FENCES], text):
        start = part.find("{")
        if start < 0:
            continue
        try:
            found = json_repair.loads(_readable(part[start:]), skip_json_loads=True)
        except RecursionError:
            raise
        except Exception:  # its own faults, of any kind, on text it was not made for
            continue
        options = found if isinstance(found, list) else [found]
        objects = [one for one in options if isinstance(one, dict) and one]
        if objects:
            return max(objects, key=lambda one: len(repr(one)))
    return None


def _readable(text: str) -> str:
    """Returns the beginning of a damaged object that is read within a second or two."""
    text = text[:REPAIR_CHARS]
    found = next(islice(_BRACKET.finditer(text), REPAIR_OPENINGS, None), None)
    return text[: found.start()] if found else text


def _nothing(_: str) -> None:
    """Stands in for NaN and Infinity, which are not JSON."""


def _clean(value: Any, depth: int = 0) -> Any:
    """Returns a value without what no file could hold and without control characters."""
    if depth > MOST_DEPTH:
        raise ValueError(_TOO_DEEP)
    if isinstance(value, str):
        return plain(value.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    if isinstance(value, dict):
        return {_clean(str(key)): _clean(one, depth + 1) for key, one in value.items()}
    if isinstance(value, list):
        return [_clean(one, depth + 1) for one in value]
    if (isinstance(value, float) and value != value) or value in (float("inf"), float("-inf")):
        return None
    return value


async def ask_json(model: Model, call: Call, check: Callable[[dict[str, Any]], T]) -> T:
    """Returns the checked answer of a call; an unusable one is asked for again once.

    Args:
        model: answers calls.
        call: with the schema of the answer.
        check: turns the object into the record wanted; raises ValueError, or msgspec's
            ValidationError, that says what is wrong with it.

    Raises:
        CallError: the call failed, or its answer was unusable twice (kind "format").
        BudgetError: the run's limit is reached.
    """
    answer = await model.complete(call)
    try:
        return _checked(answer.text, answer.finish, check)
    except ValueError as error:
        problem = str(error)
    answer = await model.complete(_again(call, answer.text, problem))
    try:
        return _checked(answer.text, answer.finish, check)
    except ValueError as error:
        raise CallError(
            f"{call.name}: {call.model} gave no usable answer, also when asked again: {error}",
            ErrorKind.FORMAT,
        ) from None


def _checked(text: str, finish: str, check: Callable[[dict[str, Any]], T]) -> T:
    try:
        return check(parse_json(text))
    except _BAD_SHAPE as error:
        reason = str(error) if isinstance(error, ValueError | msgspec.MsgspecError) else repr(error)
        cut = ", and it was cut for its length: be shorter" if finish == "length" else ""
        raise ValueError(reason[:300] + cut) from None


def _again(call: Call, answer: str, problem: str) -> Call:
    """Returns the call that states the problem and shows the former answer."""
    former = clip_tokens(answer, SHOWN_TOKENS) or "(nothing)"
    return msgspec.structs.replace(
        call,
        history=(*call.history, ("user", call.user), ("assistant", former)),
        user=_REPAIR.replace("{problem}", problem),
        key=f"{call.key}\nagain\n{former}\n{problem}" if call.key else "",
    )
