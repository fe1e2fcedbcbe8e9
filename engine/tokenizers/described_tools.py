"""Tools in the prompts of models whose chat templates know none: the system turn describes them, calls are text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

# The form in which such models are asked to write calls.
DESCRIBED_FORM = "json_tools"
_ABOUT = """You can call functions. To call one, answer with this form, and wait for its result:
<tool_call>
{"name": FUNCTION, "arguments": {...}}
</tool_call>
The functions:"""
_CALL_FORM = "<tool_call>\n{}\n</tool_call>"
_RESULT_FORM = "<tool_response>\n{}\n</tool_response>"


def with_described_tools(
    messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """Return the messages, which are texts, with the tools, calls and results in them as texts.

    Results become turns of the user, joined with the user's next one, because many templates want turns to alternate.
    """
    turns = list[Mapping[str, Any]]()
    after_result = False
    for message in messages:
        role = message["role"]
        content = message["content"]
        written = [_CALL_FORM.format(_json(_call_of(call["function"]))) for call in message.get("tool_calls") or ()]
        is_result = role == "tool"
        if after_result and role in ("tool", "user"):
            added = _RESULT_FORM.format(content) if is_result else content
            turns[-1] = {**turns[-1], "content": f"{turns[-1]['content']}\n{added}"}
        elif is_result:
            turns.append({"role": "user", "content": _RESULT_FORM.format(content)})
        else:
            without_calls = {key: value for key, value in message.items() if key != "tool_calls"}
            turns.append({**without_calls, "content": "\n".join(filter(None, [content, *written]))})
        after_result = is_result
    if not tools:
        return turns
    about = "\n".join([_ABOUT, *(_json(tool["function"]) for tool in tools)])
    if turns[0]["role"] == "system":
        return [{**turns[0], "content": f"{turns[0]['content']}\n\n{about}"}, *turns[1:]]
    return [{"role": "system", "content": about}, *turns]


def _call_of(function: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": function["name"], "arguments": function.get("arguments") or {}}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
