"""The table of losslessness: whatever is asked (`ASKED`), however it is decoded (`WAYS`), the text is the same.

Every pair of an entry of `ASKED` and one of `WAYS` is a cell, and `test_table.py` serves it: the tokens, the text, the
reason of the end, the log-probabilities and the alternatives are those of plain decoding of the same request.
A new feature of requests is one more entry of `ASKED`, a new way of decoding is one more of `WAYS`.

`DIFFERS` and `REFUSED` name the cells in which something else is promised, and why.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import jsonschema

from engine.events import Finished
from engine.grammars.grammar import Grammar, calls_in_text
from engine.requests import MAX_DRAFTED, ChatRequest, SpeculationSettings
from tests.engine.grammars.schemas import SCHEMAS, grammar_of
from tests.engine.lossless.drafters import MARKS
from tests.engine.pictures.questions import QUESTIONS
from tests.engine.pictures.questions import asked as ask_about_pictures
from tests.engine.serving_requests import request

# Texts of several writings, so that drafters of other tokenizers meet tokens that end within a character.
QUESTION = "안녕하세요 the quick 日本語 brown fox"
SAMPLED = {"temperature": 0.9, "top_p": 0.7}
# The answer does not end itself, so that it is as long as the row says.
ENDLESS = {MARKS.index("<|endoftext|>"): -60.0, MARKS.index("<|im_end|>"): -60.0}
CALL, THINK, THOUGHT = (MARKS.index(mark) for mark in ("<tool_call>", "<think>", "</think>"))
BUDGET = 9

GO = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 99}}, "required": ["n"]}
TOOLS = [{"type": "function", "function": {"name": "go", "parameters": {**GO, "additionalProperties": False}}}]
TEXT = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
TEXT_TOOLS = [{"type": "function", "function": {"name": "f", "parameters": TEXT}}]


def nothing_more(_: Finished) -> None:
    """A row promises no more than that the text is the same."""


def is_a_person(finished: Finished) -> None:
    assert finished.text.startswith("{")
    if finished.reason == "stop":
        jsonschema.validate(json.loads(finished.text), SCHEMAS["person"])


def has_calls(finished: Finished) -> None:
    calls = re.findall("<tool_call>(.*?)</tool_call>", finished.text, re.DOTALL)
    assert calls
    for text in calls:
        call = json.loads(text)
        assert call["name"] == "go"
        jsonschema.validate(call["arguments"], GO)


def has_a_tagged_call(finished: Finished) -> None:
    assert finished.text.startswith("<tool_call>")
    assert "<function=f>" in finished.text


def stopped(finished: Finished) -> None:
    assert finished.reason == "stop"


def stopped_in_a_person(finished: Finished) -> None:
    stopped(finished)
    assert finished.text.startswith('{"name"')
    assert finished.text.endswith(", ")


def thought_for_the_budget(finished: Finished) -> None:
    assert finished.ids.index(THOUGHT) == BUDGET
    assert finished.stats.thinking_limit == BUDGET


def thought_and_answered(finished: Finished) -> None:
    thought_for_the_budget(finished)
    assert re.fullmatch("[ab]{3}", finished.text.partition("</think>")[2])


@dataclass(frozen=True)
class Asked:
    """What is asked: the settings of a request, and what its answer has to be besides that of plain decoding.

    `main` names the main model that is asked: "text", "adapter" (the same with a LoRA adapter) or "pictures".
    """

    settings: dict[str, Any] = field(default_factory=dict)
    main: str = "text"
    template_options: dict[str, Any] = field(default_factory=dict)
    holds: Callable[[Finished], None] = nothing_more

    @property
    def greedy(self) -> bool:
        return not self.settings.get("temperature")

    def request(self, speculation: SpeculationSettings, text: str = QUESTION) -> ChatRequest:
        if self.main == "pictures":
            return ask_about_pictures(*QUESTIONS["between"], speculation=speculation, max_tokens=16, **self.settings)
        settings = {"max_tokens": 28, **self.settings}
        return replace(request(text, speculation=speculation, **settings), template_options=self.template_options)


# The model would open thoughts, in which everything is allowed.
NO_THOUGHTS = {THINK: -60.0}
PERSON = {"grammar": grammar_of(SCHEMAS["person"]), "max_tokens": 60, "logit_bias": NO_THOUGHTS}
THINKING = {"opened": True}
# Some likelier tokens repeat themselves, which lookup needs.
THOUGHTS = {**ENDLESS, THOUGHT: -60.0, THINK: -60.0, **dict.fromkeys(range(300, 304), 8.0)}

ASKED: dict[str, Asked] = {
    "plain": Asked({"max_tokens": 40}),
    "sampled": Asked(SAMPLED),
    "truncated": Asked({"temperature": 0.8, "top_p": 0.8, "top_k": 12, "min_p": 0.05}),
    "penalties": Asked({"repetition_penalty": 1.3, "presence_penalty": 0.4, "frequency_penalty": 0.2}),
    "penalties, sampled": Asked({"temperature": 0.8, "repetition_penalty": 1.3, "penalty_window": 8}),
    "bias": Asked({"temperature": 0.7, "repetition_penalty": 1.2, "logit_bias": {7: 4.0, 9: -50.0}}),
    "alternatives": Asked({"alternatives": 4}),
    "alternatives, sampled": Asked({**SAMPLED, "alternatives": 4}),
    "stop": Asked({"stop": tuple("aeio"), "max_tokens": 60}, holds=stopped),
    "grammar": Asked(PERSON, holds=is_a_person),
    "grammar, truncated": Asked({**PERSON, "temperature": 0.8, "top_p": 0.7, "top_k": 12}, holds=is_a_person),
    "grammar, penalties": Asked({**PERSON, "repetition_penalty": 1.4, "penalty_window": 8}, holds=is_a_person),
    "grammar, bias": Asked(
        {**PERSON, "temperature": 0.8, "logit_bias": {**NO_THOUGHTS, 2: 60.0, 12: 8.0, 93: -40.0}}, holds=is_a_person
    ),
    "grammar, stop": Asked({**PERSON, "stop": ('"a',)}, holds=stopped_in_a_person),
    "call": Asked(
        {
            "grammar": calls_in_text("json_tools", TOOLS, parallel=True),
            "max_tokens": 60,
            "temperature": 1.0,
            "logit_bias": {**ENDLESS, CALL: 90.0},
        },
        holds=has_calls,
    ),
    "call between tags": Asked(
        {
            "grammar": calls_in_text("qwen3_coder", TEXT_TOOLS, parallel=True),
            "max_tokens": 60,
            "temperature": 1.0,
            "logit_bias": {**ENDLESS, CALL: 90.0},
        },
        holds=has_a_tagged_call,
    ),
    "thinking budget": Asked(
        {"thinking_budget": BUDGET, "temperature": 0.9, "logit_bias": THOUGHTS},
        template_options=THINKING,
        holds=thought_for_the_budget,
    ),
    "thinking budget, grammar": Asked(
        {
            "thinking_budget": BUDGET,
            "grammar": Grammar("regex", "[ab]{3}"),
            "logit_bias": {**THOUGHTS, MARKS.index("<|im_end|>"): 0.0},
        },
        template_options=THINKING,
        holds=thought_and_answered,
    ),
    "adapter": Asked(SAMPLED, main="adapter"),
    "pictures": Asked(main="pictures"),
    "pictures, sampled": Asked({"temperature": 0.9}, main="pictures"),
}


@dataclass(frozen=True)
class Way:
    """A way of decoding.

    `drafter` names an entry of `DRAFTERS`, or is "". `source` is the proposer whose tokens an answer must have been
    offered; "" if the way decides that itself or does not speculate. `company` is how many other requests are served
    at once. With `earlier` the same question was answered in another chat before. `main` is the main model that rows
    of the main model "text" ask instead, "" for none. `ahead` says what happens to the replies of a draft runner, as in
    `tests.engine.ahead.runners.DISTURBANCES`; "" if there is none.
    """

    speculation: SpeculationSettings
    drafter: str = ""
    source: str = ""
    company: int = 0
    earlier: bool = False
    main: str = ""
    ahead: str = ""


def _draft(depth: int = 3, **changes: Any) -> SpeculationSettings:
    return SpeculationSettings(method="draft", depth=depth, sample_share=0.0, **changes)


LOOKUP = SpeculationSettings(method="ngram", depth=4, sample_share=0.0)
PLAIN = SpeculationSettings(method="off")
AUTO = SpeculationSettings()

WAYS: dict[str, Way] = {
    "draft model": Way(_draft(), "draft model", "draft"),
    "draft model, depth 1": Way(_draft(1), "draft model", "draft"),
    "draft model, depth 8": Way(_draft(8), "draft model", "draft"),
    "draft model, deepest": Way(_draft(MAX_DRAFTED), "draft model", "draft"),
    "draft model, any depth": Way(SpeculationSettings(method="draft", sample_share=0.0), "draft model"),
    "rejection": Way(_draft(acceptance="rejection"), "draft model", "draft"),
    "same text": Way(_draft(same_text=True), "draft model"),
    "taught draft model": Way(_draft(), "taught", "draft"),
    "draft ahead": Way(_draft(), "draft model", ahead="untouched"),
    "draft ahead, any depth": Way(AUTO, "draft model", ahead="untouched"),
    "draft ahead, wrong tokens": Way(_draft(), "draft model", ahead="wrong_but_possible"),
    "draft ahead, lost replies": Way(_draft(), "draft model", ahead="lost"),
    "draft model of other bytes": Way(_draft(), "other bytes", "draft"),
    "draft model of other words": Way(_draft(), "other words", "draft"),
    "block head": Way(_draft(7), "dflash", "head"),
    "EAGLE head": Way(_draft(), "eagle", "head"),
    "EAGLE head of few tokens": Way(_draft(), "eagle of few tokens", "head"),
    "MTP head": Way(_draft(), "mtp", "head"),
    "MTP head, rejection": Way(_draft(acceptance="rejection"), "mtp", "head"),
    "MTP head of earlier words": Way(_draft(), "mtp", "head", earlier=True),
    "assistant": Way(_draft(), "assistant", "head", main="gemma4"),
    "lookup": Way(LOOKUP),
    "earlier chats": Way(LOOKUP, source="chats", earlier=True),
    "auto": Way(AUTO, "draft model"),
    "auto with a head": Way(AUTO, "mtp"),
    "in a batch": Way(PLAIN, company=3),
    "in a batch, draft model": Way(_draft(), "draft model", "draft", company=3),
    "in a batch, MTP head": Way(_draft(), "mtp", "head", company=3),
    "in a batch, lookup": Way(LOOKUP, company=3),
    "in a batch, auto": Way(AUTO, "draft model", company=3),
}

# Cells in which the text may be another, by the way, and why. What the row promises of its answer holds nevertheless.
DIFFERS: dict[str, str] = {
    "rejection": "a drawn token has the same distribution and another value; a greedy one has the same value",
    "MTP head, rejection": "a drawn token has the same distribution and another value; a greedy one has the same value",
}
# Cells that the engine refuses, by the row and the way, and why.
REFUSED: dict[tuple[str, str], str] = {
    ("adapter", "assistant"): "an assistant drafts for Gemma 4 only",
    ("pictures", "assistant"): "an assistant drafts for Gemma 4 only",
    ("pictures, sampled", "assistant"): "an assistant drafts for Gemma 4 only",
}


def main_of(row: str, way: str) -> str:
    """Return the main model that a cell asks, by its name in `MAINS`."""
    main = ASKED[row].main
    return WAYS[way].main or main if main == "text" else main


def differs(row: str, way: str) -> bool:
    return way in DIFFERS and not ASKED[row].greedy


def cells() -> Iterator[tuple[str, str]]:
    """Yield all cells but those that are refused."""
    for row in ASKED:
        for way in WAYS:
            if (row, way) not in REFUSED:
                yield row, way


def in_default_tier(row: str, way: str) -> bool:
    """The default tier has one row and one column; the full tier has all cells."""
    return row == "sampled" or way == "draft model"
