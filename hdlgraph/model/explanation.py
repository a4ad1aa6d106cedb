"""The explanation of one file in words, as the explanation files (JSON Lines) hold it."""

from __future__ import annotations

import re

import msgspec

SENTENCE = 240
"""Characters of the longest sentence that stands for a file."""
_STOP = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<! vs\.)(?<! cf\.) (?=[^a-z\d])")


class SearchText(msgspec.Struct, frozen=True, kw_only=True):
    """An explanation's texts with all short forms spelt out, as a search reads them."""

    purpose: str
    behaviour: str = ""
    interfaces: str = ""
    parameters: str = ""
    instances: str = ""
    concepts: tuple[str, ...] = ()


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """What one file is for, in words: the record of the explanation files (JSONL).

    The texts are for people: names stand as the file writes them. `model` says who wrote it:
    "deterministic" for the built-in explainer. `search` has the texts that are searched instead;
    without it those for people are. The files never hold it.
    """

    path: str
    purpose: str
    behaviour: str = ""
    interfaces: str = ""
    parameters: str = ""
    instances: str = ""
    concepts: tuple[str, ...] = ()
    sha256: str = ""
    model: str = "deterministic"
    search: SearchText | msgspec.UnsetType = msgspec.UNSET

    def for_search(self) -> Explanation:
        """Returns the explanation with the texts that are searched in place of those for people."""
        if isinstance(self.search, msgspec.UnsetType):
            return self
        texts = msgspec.structs.asdict(self.search)
        return msgspec.structs.replace(self, search=msgspec.UNSET, **texts)

    def sentence(self) -> str:
        """Returns the first sentence of the purpose on one line."""
        found = _STOP.split(" ".join(self.purpose.split()), maxsplit=1)[0]
        if len(found) <= SENTENCE:
            return found
        whole = found[:SENTENCE].rpartition(" ")[0] or found[: SENTENCE - 1]
        return whole.rstrip(",;:") + "…"

    def for_people(self) -> Explanation:
        """Returns the explanation without the texts that are only searched."""
        return msgspec.structs.replace(self, search=msgspec.UNSET)

    def to_text(self) -> str:
        """Returns the explanation as paragraphs, path first (GraphRAG's document text)."""
        parts = [self.path, self.purpose, self.behaviour]
        for label, text in (
            ("Interfaces", self.interfaces),
            ("Parameters", self.parameters),
            ("Instances", self.instances),
            ("Concepts", ", ".join(self.concepts)),
        ):
            if text:
                parts.append(f"{label}: {text}")
        return "\n".join(part for part in parts if part)
