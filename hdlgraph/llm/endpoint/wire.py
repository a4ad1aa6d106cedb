"""Turns a call into the body of a chat request, and the body of a response into an answer.

Endpoints differ in the parameters they take; a `Dialect` learns from their refusals.
"""

from __future__ import annotations

import json
import re
from typing import Any, TypeGuard

import msgspec

from hdlgraph.errors import ErrorKind
from hdlgraph.llm.call import Call, Completion, Usage
from hdlgraph.llm.endpoint.bounds import TOKEN_CHARS, misshaped, plain, text_chars
from hdlgraph.llm.endpoint.retry import Failure

SHAPES = ("schema", "json", "text")
_NAME_CHARS = 200
_HIDDEN_TOKENS = 500_000  # of a schema, a chat template, thoughts that are not shown


class Dialect:
    """The parameters that one model of one endpoint takes.

    Args:
        structured: `llm.structured`; auto begins with a schema and comes down when it is refused.
    """

    def __init__(self, structured: str = "auto") -> None:
        self.auto = structured == "auto"
        self.shape = "schema" if self.auto else structured
        self.limit = "max_tokens"
        self.temperature = True
        self.stream_usage = True

    def arguments(self, call: Call, stream: bool = False) -> dict[str, Any]:
        """Returns the body of the request."""
        messages = call.messages
        body: dict[str, Any] = {"model": call.model, "messages": messages}
        body[self.limit] = call.max_tokens
        if self.temperature:
            body["temperature"] = call.temperature
        if call.schema is not None:
            if self.shape == "schema":
                name = re.sub(r"[^A-Za-z0-9_-]", "_", call.stage)[:64] or "answer"
                declared = {"name": name, "schema": call.schema, "strict": True}
                body["response_format"] = {"type": "json_schema", "json_schema": declared}
            else:
                messages[-1] = _with_shape(messages[-1], call.schema)
            if self.shape == "json":
                body["response_format"] = {"type": "json_object"}
        if stream:
            body["stream"] = True
            if self.stream_usage:
                body["stream_options"] = {"include_usage": True}
        return body

    def adapt(self, sent: dict[str, Any], words: str) -> bool:
        """Learns from a refusal; returns whether the request is worth sending anew.

        Args:
            sent: the refused body.
            words: what the server says, in lower case.
        """
        if "max_tokens" in sent and "max_completion_tokens" in words:
            self.limit = "max_completion_tokens"
        elif "temperature" in sent and "temperature" in words:
            self.temperature = False
        elif "stream_options" in sent and "stream_options" in words:
            self.stream_usage = False
        elif "response_format" in sent and re.search(_STRUCTURED, words):
            return self._less_structure(sent["response_format"]["type"])
        else:
            return False
        return True

    def _less_structure(self, refused: str) -> bool:
        if not self.auto:
            return False
        level = 0 if refused == "json_schema" else 1
        self.shape = SHAPES[max(SHAPES.index(self.shape), level + 1)]
        return True


_STRUCTURED = r"response_format|response format|json_schema|json_object|schema|grammar|structured"


def _with_shape(message: dict[str, str], schema: dict[str, Any]) -> dict[str, str]:
    """Returns a message that spells the schema out, for endpoints that take none."""
    shape = msgspec.json.encode(schema, order="sorted").decode()
    text = f"{message['content']}\n\nAnswer with one JSON object of this JSON schema:\n{shape}"
    return {**message, "content": text}


def decode(content: bytes) -> object:
    """Returns the JSON value of a response; half characters in it are replaced.

    Raises:
        ValueError: it is not JSON, or it is nested too deep or has too many values.
    """
    if fault := misshaped(content):
        raise ValueError(fault)
    try:
        return msgspec.json.decode(content)
    except ValueError:  # local servers cut some answers inside a character
        return json.loads(content.decode("utf-8", "replace"))


def read_answer(data: object, call: Call) -> tuple[Completion | Failure, Usage]:
    """Returns the completion in a decoded response, or why it is none, and its usage.

    Where the server does not count, the tokens are counted here.
    """
    choice = _first(data, "choices")
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(data, dict) or not isinstance(choice, dict) or not isinstance(message, dict):
        return Failure(ErrorKind.SERVER, "the answer is no chat completion", again=True), Usage()
    text = text_of(message.get("content"))
    if len(text) > text_chars(call.max_tokens):
        return too_long(call), Usage()
    usage = usage_of(data.get("usage"), call, text)
    refusal = text_of(message.get("refusal"))
    finish, model = word_of(choice.get("finish_reason")), word_of(data.get("model")) or call.model
    return judge(text, finish, refusal, model, usage), usage


def too_long(call: Call) -> Failure:
    """Returns the failure of an answer that is longer than its tokens could be."""
    most = text_chars(call.max_tokens)
    message = f"the answer is longer than {most} characters for {call.max_tokens} tokens"
    return Failure(ErrorKind.SERVER, f"{message}; the server does not obey max_tokens")


def judge(text: str, finish: str, refusal: str, model: str, usage: Usage) -> Completion | Failure:
    """Returns the completion that a text is, or why it is none."""
    if refusal or finish == "content_filter":
        why = refusal or "its content filter stopped the answer"
        return Failure(ErrorKind.REFUSAL, f"the model refused: {' '.join(why.split())[:200]}")
    text = without_thoughts(text)
    if not text.strip():
        if finish == "length":
            return Failure(
                ErrorKind.EMPTY,
                "the model used all its output tokens before it answered; raise llm.output_tokens",
            )
        return Failure(ErrorKind.EMPTY, "the model's answer is empty", again=True)
    finish = "length" if finish == "length" else "stop"
    return Completion(text=text, model=model, finish=finish, usage=usage)


def without_thoughts(text: str) -> str:
    """Returns an answer without the thoughts that some local models put before it."""
    if not text.lstrip().startswith("<think>"):
        return text
    return text.partition("</think>")[2].lstrip()


def _first(data: object, field: str) -> object:
    values = data.get(field) if isinstance(data, dict) else None
    return values[0] if isinstance(values, list) and values else None


def word_of(value: object) -> str:
    """Returns a name that a server gives, "" when it is none."""
    return plain(value) if isinstance(value, str) and len(value) <= _NAME_CHARS else ""


def text_of(content: object) -> str:
    """Returns the text of a message's content, which may also be a list of parts."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    return plain(content) if isinstance(content, str) else ""


def usage_of(reported: object, call: Call, text: str) -> Usage:
    """Returns what the server counted, or what is counted here where it did not.

    A count that no tokeniser comes to is none: it would turn the limits of a run off.
    """
    if isinstance(reported, dict):
        asked, given = reported.get("prompt_tokens"), reported.get("completion_tokens")
        size = sum(len(message["content"]) for message in call.messages)
        if _credible(asked, size) and _credible(given, len(text)):
            return Usage(input_tokens=asked, output_tokens=given)
    from hdlgraph.llm.tokens import count_messages, count_tokens

    return Usage(input_tokens=count_messages(call), output_tokens=count_tokens(text))


def _credible(tokens: object, chars: int) -> TypeGuard[int]:
    """Returns whether so many characters may be so many tokens."""
    if not isinstance(tokens, int) or isinstance(tokens, bool):
        return False
    return chars // TOKEN_CHARS <= tokens <= chars * 4 + _HIDDEN_TOKENS
