"""Lists what the present settings send to which host, without sending or looking up anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from ipaddress import ip_address
from urllib.parse import urlsplit

from hdlgraph.llm.endpoint.endpoint import configured, label_of
from hdlgraph.settings.records import LlmSettings, Settings

NOTHING = "nothing leaves this machine"


def outgoing(settings: Settings) -> dict[str, list[str]]:
    """Returns for each host what is sent to it, by the command that sends it.

    Switches of the command line (`--explain model`, `--rerank`) can add to it; `demo`, and `eval`
    on a packaged corpus, download from the package index.
    """
    found: dict[str, list[str]] = {}
    if configured(settings.llm):
        found[host_of(settings.llm)] = [*_by_index(settings), *_by_questions(settings)]
    if settings.embedding.provider == "openai":
        texts = "texts to embed (index), questions (search, ask, chat)"
        found.setdefault(host_of(_embedding(settings)), []).append(texts)
    return found


def hosts_text(hosts: Mapping[str, list[str]]) -> str:
    """Returns what `outgoing` found in one line."""
    if not hosts:
        return NOTHING
    parts = []
    for host, sent in hosts.items():
        what = "; ".join(sent) or "only what switches of the command line ask for"
        parts.append(f"to {host}: {what}")
    return ". ".join(parts)


def _by_index(settings: Settings) -> Iterator[str]:
    if settings.explain.explainer == "model":
        yield "paths, facts and code of each file (index)"
    if settings.explain.neighbours:
        yield "paths, facts and explanations (index)"
    if settings.extract.method != "ast":
        yield "explanations, paths and declared names (index)"


def _by_questions(settings: Settings) -> Iterator[str]:
    ask = settings.ask
    if ask.reword or ask.decompose:
        yield "questions (search, ask, chat)"
    if ask.rerank:
        yield "questions, explanations and matching lines of the best files (search, ask, chat)"
    if ask.writer != "extractive":
        yield "questions, explanations and code of the best files (ask, chat)"


def _embedding(settings: Settings) -> LlmSettings:
    """Returns the endpoint that embeds, as `EndpointEmbedder` finds it."""
    base = settings.embedding.api_base
    if base or not configured(settings.llm):
        return replace(settings.llm, provider="openai", base_url=base)
    return settings.llm


def host_of(llm: LlmSettings) -> str:
    """Returns the host of an endpoint, never a path or a key."""
    address = label_of(llm).partition(" ")[2]
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        host = port = ""
    if not host:
        return "an address that is not given or is none"
    return f"{host}{port}" + (" (this machine)" if _is_here(host) else "")


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
