"""A template thinks as it was written to when nobody chooses, and what is said of it is what it then does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.prompts import render
from tests.engine.tokenizer_folders import record_made, theirs_of, write_tokenizer

# transformers warns of odd settings.
pytestmark = pytest.mark.expects_log

_TURNS = "{% for message in messages %}{{ message.role + ': ' + message.content + '\\n' }}{% endfor %}"
_SHUT, _OPEN = "{{ '<think>\\n\\n</think>\\n\\n' }}", "{{ '<think>\\n' }}"
# In the shapes that published templates have.
TEMPLATES = {
    "on, asks for false": "{% if enable_thinking is defined and enable_thinking is false %}" + _SHUT + "{% endif %}",
    "on, set where undefined": "{% if enable_thinking is not defined %}{% set enable_thinking = true %}{% endif %}"
    "{{ '/think' if enable_thinking else '/no_think' }}",
    "on, by an expression": "{% set thinks = enable_thinking if enable_thinking is defined else True %}"
    "{% if thinks %}" + _OPEN + "{% else %}" + _SHUT + "{% endif %}",
    "off, asks for true": "{% if enable_thinking is defined and enable_thinking is true %}"
    + _OPEN
    + "{% else %}"
    + _SHUT
    + "{% endif %}",
    "off, by being undefined": "<think>{% if not enable_thinking %}</think>{% endif %}",
    "off, other variable": "{% set thinking = false %}{% if enable_thinking is defined %}"
    "{% set thinking = enable_thinking %}{% endif %}{{ '<think>' if thinking else '</think>' }}",
    "of its own accord": "{% if enable_thinking is defined %}{% if enable_thinking %}"
    + _OPEN
    + "{% else %}"
    + _SHUT
    + "{% endif %}{% endif %}",
    "a mention only": "{% set thinks = true %}{# enable_thinking is for others #}",
    "levels": "{% if reasoning_effort is not defined %}{% set reasoning_effort = 'medium' %}{% endif %}"
    "{{ 'Reasoning: ' + reasoning_effort }}",
    "levels of its own": "{% set effort = reasoning_effort | default('none') %}{% if effort == 'medium' %}"
    "{{ raise_exception('low or high') }}{% endif %}{{ 'Reasoning: ' + effort }}",
    "levels of what is switched": "{% if enable_thinking %}"
    "{{ '<think>' + reasoning_effort | default('low') }}{% endif %}",
}
QUESTION = [{"role": "user", "content": "a"}]


@pytest.fixture(params=["recorded", "mlx-lm's"])
def tokenizer_of(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    def make(shape: str) -> tuple[Any, Any]:
        """The tokenizer as the engine has it, and transformers' own."""
        folder = write_tokenizer(tmp_path / "model", "qwen2", chat_template=_TURNS + TEMPLATES[shape])
        theirs = theirs_of(folder)
        return (record_made(theirs, folder) if request.param == "recorded" else theirs), theirs._tokenizer

    return make


@pytest.mark.parametrize("shape", TEMPLATES)
@pytest.mark.parametrize("options", [{}, {"enable_thinking": True}, {"enable_thinking": False}])
def test_a_template_gets_what_was_chosen_and_nothing_else(
    tokenizer_of: Any, shape: str, options: dict[str, str | bool]
) -> None:
    tokenizer, transformers = tokenizer_of(shape)
    expected = transformers.apply_chat_template(QUESTION, add_generation_prompt=True, return_dict=False, **options)
    assert render(tokenizer, QUESTION, options) == expected
