"""Checks the language models for `hdlgraph doctor`: a call to each, a remedy for each problem."""

from __future__ import annotations

from collections.abc import Iterator

from hdlgraph.errors import ErrorKind, UsageError
from hdlgraph.llm.endpoint.context import USUAL
from hdlgraph.llm.endpoint.endpoint import Endpoint, configured, find_endpoint
from hdlgraph.llm.endpoint.probe import Probe, probe, suggestion
from hdlgraph.llm.endpoint.retry import Failure
from hdlgraph.llm.spend import price_of
from hdlgraph.settings.records import Settings

Check = dict[str, str]
NAME = "language model"
FRAME_TOKENS = 1500  # of a prompt besides the code: instructions, facts, neighbourhood
_REMEDIES = {
    ErrorKind.UNREACHABLE: "start the server, or correct llm.base_url",
    ErrorKind.TIMEOUT: "look at the server's log, or raise llm.timeout_s",
    ErrorKind.SERVER: "look at the server's log",
    ErrorKind.RATE: "wait or raise the account's limit; llm.requests_per_minute keeps calls "
    "below a limit",
    ErrorKind.EMPTY: "raise llm.output_tokens, or choose a model that thinks less",
    ErrorKind.OVERFLOW: "start the server with a longer context",
}


def check_models(settings: Settings) -> Iterator[Check]:
    """Yields a check for each configured chat model, as `hdlgraph.doctor` has them.

    Each costs one call of some 40 tokens; nothing is sent where none is configured.
    """
    llm = settings.llm
    if not configured(llm):
        detail = "none configured (explanations and answers are written on this machine)"
        yield _check(NAME, "ok", detail)
        return
    try:
        endpoint = find_endpoint(llm)
    except UsageError as error:
        yield _check(NAME, "fail", str(error), "set what is missing and run doctor again")
        return
    if llm.build_model == llm.query_model:
        yield _judge(endpoint, settings, NAME, llm.build_model)
        return
    yield _judge(endpoint, settings, "build model", llm.build_model)
    yield _judge(endpoint, settings, "query model", llm.query_model)


def _judge(endpoint: Endpoint, settings: Settings, name: str, model: str) -> Check:
    found = probe(endpoint, settings.llm, model)
    if found.failure is not None:
        detail = f"{model} at {endpoint.label}: {found.failure.message}"
        return _check(name, "fail", detail, _remedy(endpoint, model, name, found.failure))
    warning, remedy = _shortcoming(settings, found)
    facts = [
        f"{model} at {endpoint.label} answered in {found.seconds:.2f} s",
        "streams" if found.streams else "does not stream",
        _json(found),
        _context(settings, found),
        _price(settings, name, model),
    ]
    detail = ", ".join(facts) + (f"; {warning}" if warning else "")
    return _check(name, "warn" if warning else "ok", detail, remedy)


def _json(found: Probe) -> str:
    match found.shape, found.obeyed:
        case "schema", True:
            return "obeys a JSON schema"
        case "schema", False:
            return "accepts a JSON schema and ignores it"
        case "json", True:
            return "answers with a JSON object (no schema)"
        case "json", False:
            return "accepts the JSON object mode, but answered otherwise (no schema)"
        case _, True:
            return "takes no JSON mode, but answered with JSON when asked in words"
    return "takes no JSON mode and answered without JSON"


def _context(settings: Settings, found: Probe) -> str:
    chosen = settings.llm.context_tokens
    context = f"context {found.context} tokens" if found.context else "context not told"
    if chosen:
        return f"{context} (llm.context_tokens: {chosen})"
    return context if found.context else f"{context} ({USUAL} assumed; llm.context_tokens sets it)"


def _price(settings: Settings, name: str, model: str) -> str:
    price = price_of(settings.llm, model)
    if price is not None:
        return f"price {price.input:g} + {price.output:g} USD per million tokens"
    part = "query" if name == "query model" else "build"
    return f"price not set (--max-cost needs llm.{part}_input_price and llm.{part}_output_price)"


def _shortcoming(settings: Settings, found: Probe) -> tuple[str, str]:
    """Returns what keeps a reachable model from good work, and the remedy."""
    llm = settings.llm
    if found.context and llm.context_tokens > found.context:
        return (
            f"llm.context_tokens is {llm.context_tokens}, more than the server takes",
            f"set llm.context_tokens: {found.context} (or 0)",
        )
    context = llm.context_tokens or found.context or USUAL
    needed = settings.explain.code_tokens + llm.output_tokens + FRAME_TOKENS
    if context < needed:
        return (
            f"a context of {context} tokens is short: explanations may take {needed}",
            "start the server with a longer context, or lower explain.code_tokens or "
            "llm.output_tokens",
        )
    if found.shape == "schema" and not found.obeyed:
        # The schema travels beside the prompt: a server that drops it leaves the model blind.
        return "the model does not see what is asked for", "set llm.structured: text"
    if not found.obeyed:
        return "many answers may be unusable", "choose a larger model"
    return "", ""


def _remedy(endpoint: Endpoint, model: str, name: str, failure: Failure) -> str:
    if failure.kind is ErrorKind.AUTH:
        return f"correct the key in {endpoint.key_env}, or give it the right to use {model}"
    if failure.kind is ErrorKind.MODEL:
        part = "query" if name == "query model" else "build"
        offers = suggestion(endpoint, model)
        thing = "a deployment" if endpoint.provider == "azure" else "a model that it has"
        return f"set llm.{part}_model to {thing}" + (f": {offers}" if offers else "")
    return _REMEDIES.get(failure.kind, "correct the settings under llm")


def _check(name: str, state: str, detail: str, remedy: str = "") -> Check:
    return {"name": name, "state": state, "detail": detail, "remedy": remedy}
