"""Begins an answer with what the exact engines find on the question's subject."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec

from hdlgraph.query.answer.context import Sources
from hdlgraph.query.answer.direct.addresses import add_addresses
from hdlgraph.query.answer.direct.benches.asserted import add_asserted
from hdlgraph.query.answer.direct.benches.classes import add_classes
from hdlgraph.query.answer.direct.benches.keys import add_keys
from hdlgraph.query.answer.direct.benches.messages import add_messages
from hdlgraph.query.answer.direct.benches.planned import add_planned
from hdlgraph.query.answer.direct.benches.tests import add_bound, add_coverage, add_tests
from hdlgraph.query.answer.direct.benches.texts import add_texts
from hdlgraph.query.answer.direct.catalogue.declared import add_declared
from hdlgraph.query.answer.direct.catalogue.files import add_file
from hdlgraph.query.answer.direct.catalogue.listed import add_listed
from hdlgraph.query.answer.direct.catalogue.macros import add_macro
from hdlgraph.query.answer.direct.catalogue.registers import add_named_register, add_register_map
from hdlgraph.query.answer.direct.counts import add_counts
from hdlgraph.query.answer.direct.crossings import add_crossings
from hdlgraph.query.answer.direct.difference import add_difference
from hdlgraph.query.answer.direct.drivers.after_reset import add_after_reset
from hdlgraph.query.answer.direct.drivers.defaults import add_defaults
from hdlgraph.query.answer.direct.drivers.events import add_events
from hdlgraph.query.answer.direct.drivers.registers import add_registers
from hdlgraph.query.answer.direct.drivers.signals import add_resets, add_signals
from hdlgraph.query.answer.direct.drivers.sources import add_sources
from hdlgraph.query.answer.direct.drivers.stems import add_stems
from hdlgraph.query.answer.direct.drivers.verbs import add_verbs
from hdlgraph.query.answer.direct.fields import add_fields
from hdlgraph.query.answer.direct.gates import add_gates
from hdlgraph.query.answer.direct.hosts import add_hosts
from hdlgraph.query.answer.direct.instances import add_instances
from hdlgraph.query.answer.direct.machines.arcs import add_arcs
from hdlgraph.query.answer.direct.machines.states import add_states
from hdlgraph.query.answer.direct.machines.transitions import add_moves
from hdlgraph.query.answer.direct.phrases import in_names
from hdlgraph.query.answer.direct.placed.connections import add_connections
from hdlgraph.query.answer.direct.placed.given import add_given, add_given_all
from hdlgraph.query.answer.direct.placed.sized import add_sized
from hdlgraph.query.answer.direct.placed.statement import add_statement
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.switches import add_switches
from hdlgraph.query.answer.direct.units.about import add_about
from hdlgraph.query.answer.direct.units.maps import add_maps
from hdlgraph.query.answer.direct.units.parameters import add_parameter_defaults
from hdlgraph.query.answer.direct.units.ports import add_ports
from hdlgraph.query.answer.direct.ways import add_ways
from hdlgraph.query.answer.direct.widths import add_widths
from hdlgraph.query.answer.documents.joined import NO_FILE
from hdlgraph.query.answer.facts.page import FactPage, without
from hdlgraph.query.answer.noted import exact
from hdlgraph.query.answer.page import NOTHING
from hdlgraph.query.question.aims import Aim, aim_words
from hdlgraph.query.question.generic import GENERIC
from hdlgraph.results import Answer, SearchResult
from hdlgraph.words import STOP_WORDS, WORD, terms

NOTE = "answered from the design, as it tells all that is asked; `hdlgraph search` finds files"
HARDLY = re.compile(r"[,;?]\s+\S|\band (?:what|when|where|who|which|why|how)\b")
"""Asks a second thing, which a direct answer leaves open."""
_ALSO = re.compile(r",?(?: and)? how (?:often|many times)\b(?!.*[,;?]\s+\S)", re.I)
"""A second thing that the count of instances answers."""
Adding = Callable[[FactPage, str, Queries, SearchResult], bool]
WHOLE: tuple[Adding, ...] = (
    *(add_messages, add_tests, add_bound, add_classes, add_keys, add_texts, add_coverage),
    *(add_file, add_connections, add_given, add_given_all, add_sized, add_statement),
    *(add_crossings, add_maps, add_macro, add_sources),
    *(add_defaults, add_registers, add_stems, add_difference, add_fields, add_gates, add_hosts),
    *(add_moves, add_arcs, add_states, add_instances, add_ports, add_about, add_widths),
    *(add_addresses, add_listed, add_register_map, add_declared, add_events),
)
EVERY: tuple[Adding, ...] = (
    *(add_messages, add_tests, add_bound, add_classes, add_keys, add_texts, add_coverage),
    *(add_file, add_connections, add_given, add_given_all, add_sized, add_statement),
    *(add_crossings, add_maps, add_macro, add_sources),
    *(add_defaults, add_registers, add_stems, add_difference, add_fields, add_gates, add_hosts),
    *(
        add_moves,
        add_arcs,
        add_ways,
        add_instances,
        add_ports,
        add_about,
        add_widths,
        add_parameter_defaults,
        add_addresses,
    ),
    *(add_listed, add_register_map, add_named_register, add_counts, add_declared, add_signals),
    *(add_after_reset,),
    *(add_verbs, add_events, add_asserted, add_switches, add_planned),
)
OPEN, OPEN_WORDS = 0.4, 3
"""Share and number of the question's words, missing in a direct answer, from which lines follow."""
LONGEST = 300  # characters of a question that is read


def begun(answer: Answer, question: str, queries: Queries, sources: Sources) -> Answer:
    """Returns a quoted answer with the direct one before it, where there is one.

    Args:
        answer: what the writer, the graph and the documents tell.
        question: as asked.
        queries: the exact engines.
        sources: texts and explanations of the files.
    """
    asked = dict.fromkeys((question, in_names(question, queries.graph())))
    pages = (direct(one, queries, answer.result, sources) for one in asked)
    page = next(filter(None, pages), None)
    if page is None:
        return answer
    known = exact(answer.result, page.text)
    page.add()
    rest = without(answer.text, page.shown).split("\n")
    # What the design says fits, whatever search found beside it.
    page.lines += [_fitting(row) for row in rest if row != NO_FILE]
    text = page.text
    places = {one.place: one for one in (*page.citations, *answer.citations)}
    kept = [one for place, one in places.items() if f"[{place}]" in text]
    cited = (msgspec.structs.replace(one, marker=n) for n, one in enumerate(kept, 1))
    return msgspec.structs.replace(
        answer, text=text, citations=tuple(cited), found=True, weak="", result=known
    )


def _fitting(row: str) -> str:
    """Returns a line of an answer, of one that says that nothing fits only what is nearest."""
    return "Nearest is" + row.rpartition(" Nearest is")[2] if row.startswith(NOTHING) else row


def alone(
    question: str, queries: Queries, result: SearchResult, sources: Sources, drivers: bool = False
) -> Answer | None:
    """Returns the direct answer where it is all that a question asks for, else None.

    That is a difference of two units, hosts of a region, the states of a unit, how often it is
    instantiated, a reset value, and with `drivers` what drives a signal. Other arguments as of
    `begun`.
    """
    if HARDLY.search(_ALSO.sub("", question)):
        return None
    adding = (*WHOLE, *((add_signals,) if drivers else (add_resets, add_after_reset)))
    page = direct(question, queries, result, sources, adding)
    if page is None or _leaves_open(question, page.text):
        return None
    known = exact(result, page.text)
    return Answer(question, page.text, tuple(page.citations), known, notes=(NOTE,))


def _leaves_open(question: str, text: str) -> bool:
    """Returns whether much of what a question says stands nowhere in an answer.

    Such an answer may tell of the subject what was not asked, and must not take the place of lines.
    """
    known, plain = set(terms(text)), GENERIC | aim_words(Aim)
    words = dict.fromkeys(word.lower() for word in WORD.findall(question))
    said = [set(terms(word)) for word in words if word not in STOP_WORDS]
    said = [parts for parts in said if not parts <= plain]
    missing = sum(not parts & known for parts in said)
    return missing >= OPEN_WORDS and missing > OPEN * len(said)


def direct(
    question: str,
    queries: Queries,
    result: SearchResult,
    sources: Sources,
    adding: Sequence[Adding] = EVERY,
) -> FactPage | None:
    """Returns the page of what the engines answer, None where the question asks none of them.

    What changed since it was indexed is not told: its lines are others now. Nothing is told
    either without a line of code that says so.
    """
    if len(question) > LONGEST:
        return None
    moved = {*result.stale.changed, *result.stale.removed}
    for add in adding:
        page = FactPage(sources.read_text, moved=moved)
        if add(page, question, queries, result) and page.citations:
            return page
    return None
