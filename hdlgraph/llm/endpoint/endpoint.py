"""Finds the address and the key of the language model, and checks both before anything is sent.

Proxies (HTTP_PROXY, HTTPS_PROXY, NO_PROXY) and SSL_CERT_FILE are taken from the environment, as
httpx does by default. Redirects are not followed, so that the key reaches no other host.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from hdlgraph.errors import UsageError
from hdlgraph.llm.endpoint.bounds import Bounds, answer_s
from hdlgraph.settings.records import LlmSettings

if TYPE_CHECKING:
    import openai

OPENAI_URL = "https://api.openai.com/v1"
CONNECT_S = 10.0
"""Most seconds to open a connection."""
NO_KEY = "unused"
"""Sent where a server of one's own asks for no key; the openai library demands some."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address that answers chat completions, and the key to it."""

    provider: str
    base_url: str
    key: str = field(repr=False)
    key_env: str = ""
    api_version: str = ""

    @property
    def label(self) -> str:
        """Provider and address, for messages and cache keys; never the key."""
        return f"{self.provider} {self.base_url}"

    def clean(self, text: str) -> str:
        """Returns a server's words as one short line without the key."""
        if self.key not in ("", NO_KEY):
            text = text.replace(self.key, "[key]")
        text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
        return text if len(text) <= 300 else text[:299] + "…"

    def open_async(self, llm: LlmSettings) -> openai.AsyncOpenAI:
        """Returns a client that repeats nothing by itself, with one pool of connections.

        Answers are limited in size; `bounds.answer_s` tells how long to wait for one.
        """
        import openai

        from hdlgraph.llm.endpoint.transport import AiohttpClient

        http = AiohttpClient(bounds=Bounds(answer_s(llm.timeout_s)), **self._http_options(llm))
        if self.provider == "azure":
            return openai.AsyncAzureOpenAI(
                azure_endpoint=self.base_url, http_client=http, **self._azure_options()
            )
        return openai.AsyncOpenAI(http_client=http, **self._options())

    def open(self, llm: LlmSettings, bounds: Bounds | None = None) -> openai.OpenAI:
        """Returns the synchronous client, for one request at a time.

        Args:
            llm: waiting times.
            bounds: limits of an answer; None takes those of `llm.timeout_s`.
        """
        import openai

        from hdlgraph.llm.endpoint.certificates import certificates
        from hdlgraph.llm.endpoint.sync_transport import BoundedClient

        bounds = bounds or Bounds(answer_s(llm.timeout_s))
        http = BoundedClient(bounds=bounds, verify=certificates(), **self._http_options(llm))
        if self.provider == "azure":
            return openai.AzureOpenAI(
                azure_endpoint=self.base_url, http_client=http, **self._azure_options()
            )
        return openai.OpenAI(http_client=http, **self._options())

    def _options(self) -> dict[str, Any]:
        return {"base_url": self.base_url, "api_key": self.key, "max_retries": 0}

    def _azure_options(self) -> dict[str, Any]:
        return {"api_key": self.key, "api_version": self.api_version, "max_retries": 0}

    def _http_options(self, llm: LlmSettings) -> dict[str, Any]:
        import httpx

        pool = llm.concurrency + 4
        return {
            # Waiting for a connection of the pool is no fault of the endpoint: no limit there.
            "timeout": httpx.Timeout(
                llm.timeout_s, connect=min(CONNECT_S, llm.timeout_s), pool=None
            ),
            "limits": httpx.Limits(max_connections=pool, max_keepalive_connections=pool),
            "follow_redirects": False,
        }


def configured(llm: LlmSettings) -> bool:
    """Returns whether the settings name a language model."""
    return llm.provider != "none"


def find_endpoint(llm: LlmSettings) -> Endpoint:
    """Returns the endpoint that the settings and the environment name.

    Raises:
        UsageError: none is named, its address is not one, or its key is missing; the message
            names the setting or the variable.
    """
    if llm.provider == "none":
        raise UsageError(
            "no language model is configured; set llm.provider (openai, azure) and llm.base_url "
            "in a settings file given by --settings"
        )
    base_url, source = _address(llm)
    _check_address(base_url, source)
    name = llm.key_env or ("AZURE_OPENAI_API_KEY" if llm.provider == "azure" else "OPENAI_API_KEY")
    key = _key(name)
    hosted = llm.provider == "azure" or urlsplit(base_url).hostname == "api.openai.com"
    # A variable that the settings name is meant to be there, whatever the host.
    if not key and (hosted or llm.key_env):
        raise UsageError(
            f"{name} is not set: {base_url} needs a key; export {name}=..., or set llm.key_env to "
            "the variable that holds it"
        )
    version = llm.api_version if llm.provider == "azure" else ""
    return Endpoint(llm.provider, base_url, key or NO_KEY, name, version)


def label_of(llm: LlmSettings) -> str:
    """Returns provider and address as `Endpoint.label` does; asks for no key and raises nothing."""
    try:
        address = _address(llm)[0]
    except UsageError:
        address = ""
    return f"{llm.provider} {address}"


def _address(llm: LlmSettings) -> tuple[str, str]:
    """Returns (address, where it was found)."""
    if llm.base_url.strip():
        return llm.base_url.strip().rstrip("/"), "llm.base_url"
    variable = "AZURE_OPENAI_ENDPOINT" if llm.provider == "azure" else "OPENAI_BASE_URL"
    found = os.environ.get(variable, "").strip().rstrip("/")
    if found:
        return found, variable
    if llm.provider == "azure":
        raise UsageError(
            "llm.provider is azure but no address is given: set llm.base_url or "
            "AZURE_OPENAI_ENDPOINT to https://NAME.openai.azure.com"
        )
    return OPENAI_URL, "the default"


def _check_address(address: str, source: str) -> None:
    """Raises UsageError without repeating what may be a secret."""
    try:
        parts = urlsplit(address)
        _ = parts.port  # raises for a port that is none
    except ValueError as error:
        raise UsageError(f"{source} is not an address: {error}") from None
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UsageError(
            f"{source} may hold no user name, password or query: put the key into an environment "
            "variable and name it in llm.key_env"
        )
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(
            f"{source} {address!r} is not an address: give one like http://127.0.0.1:8000/v1"
        )


def _key(name: str) -> str:
    key = os.environ.get(name, "").strip()
    # An odd character would come back in the error of the HTTP library, the key with it.
    if not all("!" <= character <= "~" for character in key):
        raise UsageError(f"{name} holds a blank, a line break or a character that no key has")
    return key
