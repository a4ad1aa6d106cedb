"""Reports of communities in the words of a model: GraphRAG's own community reports.

The facts of a report stay beside the model's title, summary and findings. One of the few
importers of graphrag.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from hdlgraph.errors import BuildError
from hdlgraph.index.graphrag.extract import chat_model
from hdlgraph.model.community import Community

if TYPE_CHECKING:
    from hdlgraph.index.graphrag.inputs import Inputs

STAGE = "community_reports"
LEVELS = 2
"""Levels that the model words, from the coarsest; the deeper ones keep their facts alone."""


async def told_by_model(
    inputs: Inputs, config: Any, tables: Any, reports: Sequence[Community]
) -> list[Community]:
    """Returns the reports in the model's words; one that fails keeps its facts.

    Raises:
        BuildError: the endpoint refuses the key or knows no such model.
    """
    talk = inputs.talk
    assert talk is not None
    frame = await _asked(inputs, config, tables)
    if talk.stopped is not None and not talk.out_of_budget:
        raise BuildError(f"community reports stopped: {talk.stopped}")
    model = talk.settings.llm.build_model
    columns = ("community", "title", "summary", "findings")
    told = {
        int(number): (str(title), str(summary), _texts(findings))
        for number, title, summary, findings in (
            zip(*(frame[name] for name in columns), strict=True) if len(frame) else ()
        )
    }
    wanted = sum(one.level < LEVELS for one in reports)
    if len(told) < wanted:
        inputs.notes.append(f"{wanted - len(told)} of {wanted} reports keep facts alone")
    return [
        _with(one, model, *told[one.community]) if one.community in told else one for one in reports
    ]


def _with(
    one: Community, model: str, title: str, summary: str, findings: tuple[str, ...]
) -> Community:
    return msgspec.structs.replace(
        one, title=title or one.title, purpose=summary, findings=findings, model=model
    )


def _texts(findings: Any) -> tuple[str, ...]:
    """Returns GraphRAG's findings as one text each."""
    found = []
    for one in findings:
        values = one if isinstance(one, dict) else one.model_dump()
        found.append(f"{values['summary']}: {values['explanation']}")
    return tuple(found)


async def _asked(inputs: Inputs, config: Any, tables: Any) -> Any:
    """Returns the reports that GraphRAG's workflow makes, as far as they were answered."""
    from graphrag.callbacks.noop_workflow_callbacks import NoopWorkflowCallbacks
    from graphrag.config.enums import AsyncType
    from graphrag.index.workflows.create_community_reports import create_community_reports

    communities = await tables.read_dataframe("communities")
    communities = communities[communities["level"] < LEVELS].reset_index(drop=True)
    wanted, talk = config.community_reports, inputs.talk
    assert talk is not None
    model = chat_model(talk, config, STAGE)
    if communities.empty:
        return ()
    try:
        return await create_community_reports(
            relationships=await tables.read_dataframe("relationships"),
            entities=await tables.read_dataframe("entities"),
            communities=communities,
            claims_input=None,
            callbacks=NoopWorkflowCallbacks(),
            model=model,
            tokenizer=model.tokenizer,
            prompt=wanted.resolved_prompts().graph_prompt,
            max_input_length=wanted.max_input_length,
            max_report_length=wanted.max_length,
            num_threads=talk.settings.llm.concurrency,
            async_type=AsyncType.AsyncIO,
        )
    except KeyError as error:  # what GraphRAG raises where no report at all was answered
        if error.args != ("community",):
            raise
        return ()
