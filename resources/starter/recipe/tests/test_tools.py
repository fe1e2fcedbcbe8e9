"""What a chat that gives the tools looks like, learned and written by the chat template."""

from pathlib import Path

import pytest
from tokenizers import Tokenizer
from transformers import AutoTokenizer

from engine.call_forms.table import form_of
from resources.starter.recipe.conversations import Conversation, Turn
from resources.starter.recipe.limit_checks import GIVEN
from resources.starter.recipe.packing import encode_conversation
from resources.starter.recipe.tokenizer import CHAT_TEMPLATE
from resources.starter.recipe.tools import LIST_MODELS, call, tools_line

MAIN = Path(__file__).parents[2] / "main"
RESULT, SAID = "Models on this computer: Starter.", "On this Mac: Starter."
MADE = {"type": "function", "function": {"name": LIST_MODELS, "arguments": {}}}
MESSAGES = [
    {"role": "user", "content": "which models?"},
    {"role": "assistant", "content": None, "tool_calls": [MADE]},
    {"role": "tool", "content": RESULT},
    {"role": "assistant", "content": SAID},
]
OTHER = {"type": "function", "function": {"name": "weather", "parameters": {}}}


@pytest.mark.parametrize("system", [None, "Be kind."])
def test_the_template_writes_tools_calls_and_results_as_they_are_learned(system: str | None) -> None:
    tokenizer = AutoTokenizer.from_pretrained(MAIN, chat_template=CHAT_TEMPLATE)
    asked = [{"role": "system", "content": system}, *MESSAGES] if system else MESSAGES
    turns = (
        Turn("which models?", call(LIST_MODELS), ""),
        Turn(f"<tool_response>\n{RESULT}\n</tool_response>", SAID, ""),
    )
    learned = Conversation("en", turns, f"{system}\n\n{tools_line()}" if system else tools_line())
    ids, _ = encode_conversation(Tokenizer.from_file(str(MAIN / "tokenizer.json")), learned)

    # Others are left out, and the order is that of the course.
    for tools in (GIVEN, [OTHER, *reversed(GIVEN)]):
        assert tokenizer.apply_chat_template(asked, tools=tools, tokenize=False) == tokenizer.decode(ids) + "\n"
    without = tokenizer.apply_chat_template(asked, tokenize=False)
    assert tokenizer.apply_chat_template(asked, tools=[OTHER], tokenize=False) == without
    assert "Tools:" not in without


def test_the_engine_finds_the_form_of_the_templates_calls() -> None:
    assert form_of(CHAT_TEMPLATE, by_mlx_lm="") == "json_tools"
