"""Renders conversations with real chat templates, and says what each offers: thinking, calls, system messages.

`python -m tests.tools.real_templates FOLDER` fetches the templates into FOLDER. It prints a line for each template with
a choice of thinking, and how many renders are equal to those of transformers with the same variables.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from transformers.utils import logging

from engine.errors import TemplateFailed
from engine.model_files.thought_marks import opened_thought
from engine.tokenizers.prompt_texts import tool_format_of
from engine.tokenizers.prompts import PromptJob, local_decoder, make_prompt
from engine.tokenizers.thinking import EFFORTS, SWITCHED, SWITCHES, ThinkingChoice, thinking_of
from tests.tools.real_material import load_with, templates

_CALL = {"id": "call_0001", "type": "function", "function": {"name": "now", "arguments": {"zone": "KST"}}}
_TOOL = {"type": "function", "function": {"name": "now", "description": "Tells the time.", "parameters": {
    "type": "object", "properties": {"zone": {"type": "string", "description": "The zone."}}, "required": ["zone"],
}}}  # fmt: skip
_USER, _REPLY = {"role": "user", "content": "Hi there."}, {"role": "assistant", "content": "Hello."}
_SYSTEM = {"role": "system", "content": "Be brief."}
CONVERSATIONS: dict[str, list[dict[str, Any]]] = {
    "a question": [_USER],
    "a system message": [_SYSTEM, _USER],
    "three turns": [_USER, _REPLY, _USER],
    "a later system message": [_USER, _REPLY, _SYSTEM, _USER],
    "a result of a tool": [
        _USER,
        {"role": "assistant", "content": "", "tool_calls": [_CALL]},
        {"role": "tool", "content": "12:00", "tool_call_id": "call_0001", "name": "now"},
    ],
}


def variables(choice: ThinkingChoice) -> Iterator[Mapping[str, Any]]:
    """Yield the variables of a choice's levels, and those that every template is tried with."""
    yield from ({}, {"enable_thinking": True}, {"enable_thinking": False}, {"reasoning_effort": "high"})
    yield from (choice.options(level) for level in choice.levels)


def by_transformers(tokenizer: Any, messages: Any, options: Mapping[str, Any], tools: Any) -> Any:
    """Return transformers' ids; None if the template refuses."""
    extra = {"tools": tools} if tools else {}
    try:
        return tokenizer._tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, return_dict=False, **options, **extra
        )
    # Templates can raise any exception.
    except Exception:
        return None


def by_us(tokenizer: Any, messages: Any, options: Mapping[str, Any], tools: Any) -> Any:
    """Return our ids; None if the template refuses."""
    try:
        return make_prompt(tokenizer, PromptJob(messages, 2**20, options=options, tools=tools)).ids
    except TemplateFailed:
        return None


def compare(tokenizer: Any, choice: ThinkingChoice, counted: Counter[str]) -> None:
    """Count the renders of one template."""
    for name, messages in CONVERSATIONS.items():
        for tools in ([], [_TOOL]):
            for options in variables(choice):
                ours, theirs = (make(tokenizer, messages, options, tools) for make in (by_us, by_transformers))
                merged = theirs is None and ours is not None and "system" in name
                verdict = "system messages merged, where transformers fails" if merged else _verdict(ours, theirs)
                counted["renders"] += 1
                counted[verdict] += 1
                if verdict == "different":
                    print(f"different: {name}, {options}, {'with' if tools else 'without'} tools")


def _verdict(ours: Any, theirs: Any) -> str:
    if ours == theirs:
        return "refused by both" if ours is None else "equal to transformers"
    return "different"


def untrue(tokenizer: Any, choice: ThinkingChoice) -> list[str]:
    """Return what the button would say wrongly: levels that render like others, and a default that is not one."""
    found = []
    prompts = {level: by_transformers(tokenizer, [_USER], choice.options(level), []) for level in choice.levels}
    if len({str(prompt) for prompt in prompts.values()}) < len(prompts):
        found.append("levels are alike")
    if choice.default and prompts[choice.default] != by_transformers(tokenizer, [_USER], {}, []):
        found.append("another default")
    off = prompts.get("off")
    if off is not None and opened_thought(local_decoder(tokenizer)(off)):
        found.append("off opens a thought")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    logging.set_verbosity_error()
    counted: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place:
        for number, (name, template) in enumerate(templates(parser.parse_args().folder).items()):
            tokenizer = load_with(template, Path(place) / str(number))
            choice, form = thinking_of(tokenizer), tool_format_of(tokenizer)
            compare(tokenizer, choice, counted)
            counted["templates that refuse a system message"] += by_us(tokenizer, [_SYSTEM, _USER], {}, []) is None
            takes_tools = by_us(tokenizer, [_USER], {}, [_TOOL]) != by_us(tokenizer, [_USER], {}, [])
            counted[f"templates that {'take' if takes_tools else 'ignore'} tools"] += 1
            if takes_tools:
                counted["  with a form of calls" if form else "  without a form of calls"] += 1
                if not form:
                    print(f"{name}: no form of calls")
            if choice.levels:
                print(f"{name[:50]:50} {_line(choice)} {'; '.join(untrue(tokenizer, choice))}")
                counted["templates with a choice of thinking"] += 1
                counted["  that the button says wrongly"] += bool(untrue(tokenizer, choice))
    print(*(f"{count:5} {name}" for name, count in counted.items()), sep="\n", file=sys.stderr)


def _line(choice: ThinkingChoice) -> str:
    ways = [SWITCHES[choice.switch].variable] if SWITCHED[0] in choice.levels else []
    ways += [EFFORTS[choice.effort].variable] if len(choice.levels) > 2 * len(ways) else []
    return f"{', '.join(ways):34} {'/'.join(choice.levels):20} auto = {choice.default or 'none of them':12}"


if __name__ == "__main__":
    main()
