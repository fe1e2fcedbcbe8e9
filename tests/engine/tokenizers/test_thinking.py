"""A template gets the chosen level of thinking, or decides itself, and the shown choices are those that it offers."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from mlx_lm.utils import load_tokenizer

from engine.main_model.loading import load
from engine.sandbox.errors import LimitExceeded
from engine.tokenizers.prompt_process import PromptProcess
from engine.tokenizers.prompts import render
from engine.tokenizers.thinking import ThinkingChoice, thinking_of
from tests.tiny_models import write_disturbed_copy

# transformers warns of odd settings.
pytestmark = pytest.mark.expects_log

_TURNS = "{% for message in messages %}{{ message.role + ': ' + message.content + '\\n' }}{% endfor %}"
_SHUT = "{{ '<think>\\n\\n</think>\\n\\n' }}"
_OPEN_OR_SHUT = "{{ '<think>\\n' }}{% else %}" + _SHUT + "{% endif %}"
# Shapes of published templates.
TEMPLATES = {
    "on, asks for false": "{% if enable_thinking is defined and enable_thinking is false %}" + _SHUT + "{% endif %}",
    "on, set where undefined": "{% if enable_thinking is not defined %}{% set enable_thinking = true %}{% endif %}"
    "{{ '/think' if enable_thinking else '/no_think' }}",
    "on, by an expression": "{% set thinks = enable_thinking if enable_thinking is defined else True %}"
    "{% if thinks %}" + _OPEN_OR_SHUT,
    "off, asks for true": "{% if enable_thinking is defined and enable_thinking is true %}" + _OPEN_OR_SHUT,
    "off, by being undefined": "<think>{% if not enable_thinking %}</think>{% endif %}",
    "off, other variable": "{% set thinking = false %}{% if enable_thinking is defined %}"
    "{% set thinking = enable_thinking %}{% endif %}{{ '<think>' if thinking else '</think>' }}",
    "of its own accord": "{% if enable_thinking is defined %}{% if enable_thinking %}" + _OPEN_OR_SHUT + "{% endif %}",
    "a mention only": "{% set thinks = true %}{# enable_thinking is for others #}",
    "levels": "{% if reasoning_effort is not defined %}{% set reasoning_effort = 'medium' %}{% endif %}"
    "{{ 'Reasoning: ' + reasoning_effort }}",
    "levels of its own": "{% set effort = reasoning_effort | default('none') %}{% if effort == 'medium' %}"
    "{{ raise_exception('low or high') }}{% endif %}{{ 'Reasoning: ' + effort }}",
    "levels of what is switched": "{% if enable_thinking %}"
    "{{ '<think>' + reasoning_effort | default('low') }}{% endif %}",
    "off, thinking": "{{ '<think>' if thinking else '</think>' }}",
    "none, thinking_mode": "{% if thinking_mode == 'enabled' %}Think.{% elif thinking_mode == 'disabled' %}"
    "Answer.{% else %}Think if you have to.{% endif %}",
    "on, thinking_budget": "{% if thinking_budget is defined and thinking_budget == 0 %}Answer.{% endif %}",
    "on, effort none": "{% if reasoning_effort is defined and reasoning_effort == 'none' %}</think>{% endif %}",
    "off, no_think": "{% set effort = reasoning_effort | default('no_think') %}"
    "{% if effort not in ['high', 'low', 'no_think'] %}{{ raise_exception('no') }}{% endif %}{{ effort }}",
    "maximum of what is switched": "{% if enable_thinking %}<think>"
    "{% if reasoning_effort == 'max' %}Hard.{% endif %}{% endif %}",
    "least without thoughts": "<think>{% if reasoning_effort == 'low' %}</think>{% endif %}",
    "strength": "{{ 'Strength: ' + reasoning_strength | default('high') }}",
    "thinking and effort": "{% if thinking is undefined %}{% set thinking = true %}{% endif %}"
    "{% set effort = thinking_effort | default('max') %}"
    "{% if effort not in ['low', 'high', 'max'] %}{{ raise_exception('no') }}{% endif %}"
    "{{ '<think>' + effort if thinking else '' }}",
}
SWITCH, EFFORTS = ("off", "on"), ("low", "medium", "high", "max")
# The name of a switch begins with its default.
CHOICES = {name: ThinkingChoice(SWITCH, name.partition(",")[0]) for name in TEMPLATES if "," in name} | {
    "off, thinking": ThinkingChoice(SWITCH, "off", "deepseek, granite, kimi"),
    "none, thinking_mode": ThinkingChoice(SWITCH, "", "minimax"),
    "on, thinking_budget": ThinkingChoice(SWITCH, "on", "seed"),
    "on, effort none": ThinkingChoice(SWITCH, "on", "cohere"),
    "off, no_think": ThinkingChoice((*SWITCH, "low"), "off", "hunyuan"),
    "maximum of what is switched": ThinkingChoice((*SWITCH, "max"), "off"),
    "least without thoughts": ThinkingChoice(("low", "high"), "high"),
    "strength": ThinkingChoice(("low", "medium", "high"), "high", effort="muse"),
    "thinking and effort": ThinkingChoice((*SWITCH, "low", "high"), "on", "deepseek, granite, kimi", "kimi"),
    "of its own accord": ThinkingChoice(SWITCH, ""),
    "a mention only": ThinkingChoice(),
    "levels": ThinkingChoice(("low", "medium", "high"), "medium"),
    "levels of its own": ThinkingChoice(("low", "high"), ""),
    "levels of what is switched": ThinkingChoice((*SWITCH, "medium", "high"), "off"),
}
QUESTION = [{"role": "user", "content": "a"}]


@pytest.fixture
def tokenizer(tiny_main: Path, tmp_path: Path, shape: str) -> Any:
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        shutil.copy(tiny_main / name, tmp_path)
    (tmp_path / "chat_template.jinja").write_text(_TURNS + TEMPLATES[shape])
    return load_tokenizer(tmp_path, {"trust_remote_code": False})


@pytest.mark.parametrize("shape", TEMPLATES)
def test_the_level_that_is_shown_is_the_one_that_the_template_gets(tokenizer: Any, shape: str) -> None:
    for options in ({}, {"enable_thinking": True}, {"enable_thinking": False}):
        expected = tokenizer._tokenizer.apply_chat_template(
            QUESTION, add_generation_prompt=True, return_dict=False, **options
        )
        assert render(tokenizer, QUESTION, options) == expected
    choice = thinking_of(tokenizer)
    assert choice == CHOICES[shape]
    for chosen in ("auto", *SWITCH, *EFFORTS):
        told = choice.options(choice.level(chosen) or choice.default or "auto")
        assert render(tokenizer, QUESTION, choice.options(chosen)) == render(tokenizer, QUESTION, told)


@pytest.mark.parametrize(
    ("shape", "chosen", "level"),
    [
        ("on, asks for false", "auto", ""),
        ("on, asks for false", "high", "on"),
        ("levels", "off", "low"),
        ("levels", "on", ""),
        ("levels of its own", "medium", ""),
        ("levels of what is switched", "off", "off"),
        ("a mention only", "off", ""),
        ("levels", "max", "high"),
        ("on, asks for false", "max", "on"),
        ("least without thoughts", "off", "low"),
    ],
)
def test_a_choice_that_a_template_lacks_becomes_the_nearest(shape: str, chosen: str, level: str) -> None:
    assert CHOICES[shape].level(chosen) == level


def test_a_loaded_model_says_what_its_template_does(
    tiny_main: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_disturbed_copy(tiny_main, tmp_path / "model", amount=0.0)
    calls = "{# <seed:tool_call> #}"
    (folder / "chat_template.jinja").write_text(_TURNS + TEMPLATES["off, asks for true"] + calls)
    info = load(folder).info
    assert (info.thinking, info.tool_format) == (ThinkingChoice(SWITCH, "off"), "seed_oss")

    # A model whose template cannot be tried within the limits is loaded all the same.
    def too_slow(*_: object) -> ThinkingChoice:
        raise LimitExceeded("too-slow", 1)

    monkeypatch.setattr(PromptProcess, "run_with", too_slow)
    assert load(folder).info.thinking == ThinkingChoice()
