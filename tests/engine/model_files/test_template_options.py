"""What templates let their callers choose is found in their text."""

from __future__ import annotations

import pytest

from engine.model_files.template_options import opened_thought, thinking_of, thinking_options
from engine.prompts import render

QWEN = "{%- if enable_thinking is defined and enable_thinking is false %}<think></think>{% endif %}"
GEMMA = "{%- if (enable_thinking is defined and enable_thinking) or tools %}<|think|>{% endif %}"
GPT_OSS = "{%- if reasoning_effort is not defined %}{% set reasoning_effort = 'medium' %}{% endif %}"


@pytest.mark.parametrize(
    ("template", "kind"),
    [
        (QWEN, "switch"),
        (GPT_OSS, "effort"),
        ("{{ messages }}", ""),
        (None, ""),
        ({"default": QWEN}, "switch"),
        (GEMMA, "switch-off"),
        ("{%- if enable_thinking is defined and enable_thinking is true %}<think>{% endif %}", "switch-off"),
        ("{% set enable_thinking = enable_thinking | default(true) %}", "switch"),
        ("{% if enable_thinking is not defined or enable_thinking %}<think>{% endif %}", "switch"),
        ("{% if not enable_thinking is defined %}{% set enable_thinking = false %}{% endif %}", "switch-off"),
        ("{% if not enable_thinking %}<think></think>{% endif %}", "switch"),
    ],
)
def test_the_choice_is_found_in_the_template(template: object, kind: str) -> None:
    assert thinking_of(template) == kind


@pytest.mark.parametrize(
    ("kind", "chosen", "options"),
    [
        ("", "off", {}),
        ("switch", "auto", {}),
        ("switch", "off", {"enable_thinking": False}),
        ("switch", "high", {"enable_thinking": True}),
        ("switch-off", "auto", {}),
        ("switch-off", "on", {"enable_thinking": True}),
        ("effort", "auto", {}),
        ("effort", "high", {"reasoning_effort": "high"}),
        ("effort", "off", {"reasoning_effort": "low"}),
    ],
)
def test_a_choice_becomes_the_variables_of_the_template(kind: str, chosen: str, options: dict[str, object]) -> None:
    assert thinking_options(kind, chosen) == options


def test_options_reach_the_template() -> None:
    seen: dict[str, object] = {}

    class Tokenizer:
        has_chat_template = True

        def apply_chat_template(self, _messages: object, **options: object) -> list[int]:
            seen.update(options)
            return [1]

    render(Tokenizer(), [{"role": "user", "content": "hi"}], {"enable_thinking": False})
    assert seen["enable_thinking"] is False


@pytest.mark.parametrize(
    ("prompt_end", "opening"),
    [
        ("<|Assistant|><think>\n", "<think>\n"),
        ("<start_of_turn>model\n<|channel>thought\n", "<|channel>thought\n"),
        ("<think>\n\n</think>\n\n", ""),
        ("What does <think> mean?<|im_end|>\n<|im_start|>assistant\n", ""),
        ("<think>\nHm, so", ""),
        ("", ""),
    ],
)
def test_the_end_of_a_prompt_tells_whether_the_answer_begins_with_thoughts(prompt_end: str, opening: str) -> None:
    assert opened_thought(prompt_end) == opening
