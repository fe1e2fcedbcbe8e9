"""Checks finished answers against what their grammar leaves out of the schemas."""

from __future__ import annotations

import json
import logging
from dataclasses import replace

from msgspec import structs

from app.text.answer_parts import AnswerParts
from engine.call_forms.table import call_form
from engine.events import Finished
from engine.grammars.checks import answer_problems
from engine.grammars.grammar import Grammar
from engine.requests import ChatRequest

log = logging.getLogger(__name__)


def checked(event: Finished, request: ChatRequest) -> Finished:
    """Return the end of an answer with what is wrong in its JSON, if its grammar left something unchecked. Waits."""
    grammar = request.grammar
    if grammar is None or not event.stats.unchecked or event.cut:
        return event
    asked = json.loads(grammar.source) if grammar.of_calls else {}
    parts = AnswerParts(call_form(asked["format"]), request.tools) if asked else AnswerParts()
    parts.add(event.text, event.stats.opening, ended=True)
    schemas = {tool["function"]["name"]: tool["function"].get("parameters") or {} for tool in request.tools}
    written = [(json.dumps(schemas[call.name]), call.arguments) for call in parts.calls]
    form = Grammar(*asked["answer"]) if asked.get("answer") else grammar
    if form.kind == "json_schema" and not parts.calls:
        written.append((form.source, parts.content))
    problems = tuple(problem for schema, text in written for problem in answer_problems(schema, text))
    if problems:
        log.info("an answer does not follow its schema in %d places", len(problems))
    return replace(event, stats=structs.replace(event.stats, problems=problems))
