"""The texts of a conversation as a model reads them, before its template makes them one: what it is not written for.

Models without a form of calls read calls, their results and the functions on offer as text, and the names of functions
are those that the model can write.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from engine.call_forms.form import renamed
from engine.call_forms.response_template import described_form
from engine.call_forms.table import call_form, form_of
from engine.mlx_lm_private import template_of
from engine.tokenizers.control_marks import control_marks
from engine.tokenizers.described_tools import with_described_tools
from engine.tokenizers.picture_signs import PictureTexts, as_texts


class PromptTexts(NamedTuple):
    """The messages, the tools and the variables of a template. In each mark of a control token is a CUT."""

    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[Mapping[str, Any]]
    options: Mapping[str, Any]


def prompt_texts(
    tokenizer: Any,
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]],
    options: Mapping[str, Any],
    pictures: PictureTexts,
) -> PromptTexts:
    """Return what the template gets of a conversation, whose pictures become signs.

    The arguments are as in `prompts.PromptJob`.
    """
    messages = as_texts(messages, pictures)
    called = any(message["role"] == "tool" or message.get("tool_calls") for message in messages)
    if (tools or (called and "tool" not in template_of(tokenizer))) and not tool_format_of(tokenizer):
        messages = with_described_tools(messages, tools)
        tools = ()
    messages, tools = _with_written_names(tokenizer, messages, tools)
    marks = control_marks(tokenizer)
    return PromptTexts(marks.cut(messages), marks.cut_others(tools), marks.cut_others(options))


def tool_format_of(tokenizer: Any) -> str:
    """Return the name of the form in which the tokenizer's model writes calls, "" if none is known."""
    inferred = tokenizer.tool_parser.__module__.rpartition(".")[2] if tokenizer.has_tool_calling else ""
    template = template_of(tokenizer)
    known = form_of(template, inferred)
    # Without a place for functions in the template, the model does not learn of them.
    return known or (described_form(getattr(tokenizer, "response_template", None)) if "tools" in template else "")


def _with_written_names(
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


def system_merged(messages: Sequence[Mapping[str, Any]], first: int) -> list[Mapping[str, Any]]:
    """Merge the system messages after the `first` messages into the next user's message, or the last one before."""
    merged = list[Mapping[str, Any]](messages[:first])
    waiting = list[str]()
    for message in messages[first:]:
        if message["role"] == "system":
            waiting.append(message["content"])
        elif waiting and message["role"] == "user":
            merged.append({**message, "content": "\n\n".join([*waiting, message["content"]])})
            waiting = []
        else:
            merged.append(message)
    last = next((index for index in reversed(range(len(merged))) if merged[index]["role"] == "user"), None)
    if waiting and last is not None:
        merged[last] = {**merged[last], "content": "\n\n".join([merged[last]["content"], *waiting])}
    return list(messages) if waiting and last is None else merged
