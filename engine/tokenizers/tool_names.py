"""The names of functions in prompts: those that the model's form of calls can write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.call_forms.form import renamed
from engine.call_forms.table import call_form, form_of
from engine.mlx_lm_private import template_of


def tool_format_of(tokenizer: Any) -> str:
    """Return the name of the form in which the tokenizer's model writes calls, "" if none is known."""
    inferred = tokenizer.tool_parser.__module__.rpartition(".")[2] if tokenizer.has_tool_calling else ""
    return form_of(template_of(tokenizer), inferred)


def with_written_names(
    tokenizer: Any, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]
) -> tuple[Sequence[Mapping[str, Any]], Sequence[Mapping[str, Any]]]:
    """Return messages and tools with the names that the model writes, also in calls of functions that are gone."""
    called = [call["function"]["name"] for message in messages for call in message.get("tool_calls") or ()]
    offered = [tool["function"]["name"] for tool in tools]
    form = tool_format_of(tokenizer) if called or offered else ""
    if not form or not call_form(form).identifiers:
        return messages, tools
    # The grammar and the reader of calls know only the functions on offer.
    names = call_form(form).names(called) | call_form(form).names(offered)
    messages = [
        {**message, "tool_calls": [renamed(call, names) for call in calls]}
        if (calls := message.get("tool_calls"))
        else message
        for message in messages
    ]
    return messages, [renamed(tool, names) for tool in tools]
