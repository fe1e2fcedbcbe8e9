"""Answers with calls in each form and beside it, among Markdown, thoughts and texts that only mention calls."""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any, NamedTuple

from engine.call_forms.table import FORMS
from engine.grammars.grammar import Grammar, calls_of
from tests.app.random_rounds import BLOCKS
from tests.engine.grammars.written_calls import function, written

TOOLS = [
    function("weather", city={"type": "string"}, days={"type": "integer", "minimum": 1, "maximum": 9}),
    function("now"),
    function("get-time", text_maybe={"type": "string"}),
]
# The reader of the only other form, Kimi K3's, is that of mlx-lm, which takes longer than all others together.
READ_HERE = [name for name in FORMS if name != "kimi_k3"]
CITIES = [
    *(
        "Rio",
        'a "quoted" b',
        "it's",
        "{x: [1, 2]}",
        "```py\nx = 1\n```",
        "line\nline\n\nline",
        "서울 날씨",
        "東京🙂👩‍👩‍👧",
    ),
    *("</tool_call>", "<b>&amp;", "\\n \\ \\u12", "} ]", "a, b = (c)", ""),
]
STRAY = [
    *("RIGHT", "RIGHT}", "```json\nRIGHT\n```", "```\nRIGHT\n```", "```tool_call\nRIGHT\n```", "```json\n[RIGHT]\n```"),
    *("Calling tool: weather(VALUES)", "[Calling tool: weather(VALUES)]", "**Tool call:** `weather(VALUES)`"),
    *("Action: weather\nAction Input: VALUES", "weather(VALUES)", "weather(PYTHON)", "[weather(PYTHON)]"),
    *("<function=weather>VALUES</function>", "<tool_call>\nRIGHT}\n</tool_call>", "<tool_call>RIGHT"),
    *("[TOOL_CALLS][RIGHT]", "functions.weather(VALUES)", '{"weather": VALUES}', '{"tool_calls": [RIGHT]}'),
    *("Call the function weather with arguments VALUES", "RIGHT\nRIGHT", "call:weatherVALUES", "weather\nVALUES"),
    *("```python\nweather(PYTHON)\n```", "now()", "```tool_code\nnow()\n```", "1. weather(VALUES)"),
]
# What only looks like a call, or names a function.
MENTIONS = [
    *(
        "Use the tool",
        "weather",
        "I call it now: ",
        "Call",
        "Tool",
        "weather is nice today.\n",
        "{",
        "[1]",
        "functions",
    ),
    *('```json\n{"a": 1}\n```', "<tool_call>", "Action: none\n", "now", "- now()", "* weather", '"now', "`now`"),
]
BEGINNINGS = ["", "", "<think>\nHm, weather.\n</think>\n\n", "<think>\nHm.\nweather({\n", "\n\n", " "]


# What breaks a call, or seems to begin one, in thoughts that never end.
BREAKS = [
    *("weather({\n", "now(", '{"name": "weather", "arguments": {', "```json\n", "```", "~~~\n", "> ", "`", "- "),
    *("\n", "\n\n", " words and more. ", "weather", "weatherman is nice", "]", "}", "})"),
]


class AnswerWithCalls(NamedTuple):
    """An answer with the form of its model's calls; `cut` says that it was cut off."""

    form: str
    text: str
    cut: bool


@cache
def grammar_of(form: str) -> Grammar:
    return calls_of(form, TOOLS, parallel=True)


def stray(draw: random.Random) -> str:
    """Return a call beside a form."""
    values: dict[str, Any] = {"city": draw.choice(CITIES), "days": draw.randint(1, 9)}
    indent = draw.choice((None, 2))
    right = json.dumps({"name": "weather", "arguments": values}, ensure_ascii=False, indent=indent)
    python = ", ".join(f"{key}={value!r}" for key, value in values.items())
    as_json = json.dumps(values, ensure_ascii=draw.random() < 0.3)
    return draw.choice(STRAY).replace("RIGHT", right).replace("VALUES", as_json).replace("PYTHON", python)


def block(draw: random.Random) -> str:
    """Return a text that is no call."""
    return draw.choice([*(text.replace("@", "1") for text in BLOCKS.values()), *MENTIONS, *MENTIONS])


def case_of(seed: int) -> AnswerWithCalls:
    draw = random.Random(seed)
    form = draw.choice(READ_HERE)
    parts = [block(draw) for _ in range(draw.randint(0, 3))]
    kind = draw.choice(("stray", "stray", "form", "both", "none"))
    if kind in ("stray", "both"):
        parts.append(stray(draw))
    if kind in ("form", "both"):
        parts.append(written(grammar_of(form), draw, plain=draw.random() < 0.7))
    parts += [draw.choice((block, stray))(draw) for _ in range(draw.choice((0, 0, 0, 1, 2)))]
    text = draw.choice(BEGINNINGS) + draw.choice(("\n", "\n\n", "")).join(parts)
    return AnswerWithCalls(form, text, cut=draw.random() < 0.2)


def marks_of(form: str) -> list[str]:
    """Return the marks of a form, also half ones and mentions; those of another form if it has none."""
    whole = [text for mark in FORMS[form].marks for text in (mark.start, mark.end) if text] or ["<tool_call>"]
    return [*whole, *(text[: len(text) // 2] for text in whole), *(f"`{text}` is" for text in whole)]


def broken_call(draw: random.Random, form: str) -> str:
    """Return a call in a form that is whole, cut off, or has something else within it."""
    call = written(grammar_of(form), draw, plain=True)
    place = draw.randrange(len(call) + 1)
    return draw.choice((call, call, call[:place], call[:place] + draw.choice(BREAKS) + call[place:]))


def unended_case_of(seed: int) -> AnswerWithCalls:
    """Return an answer that consists of thoughts, with calls, broken ones and marks in them."""
    draw = random.Random(seed)
    form = draw.choice(READ_HERE)
    parts = [
        draw.choice(
            (broken_call(draw, form), draw.choice(marks_of(form)), draw.choice(BREAKS), stray(draw), block(draw))
        )
        for _ in range(draw.randint(1, 6))
    ]
    text = draw.choice(("<think>\n", "<think>", "\n<think>\n")) + draw.choice(("", "\n", " ")).join(parts)
    return AnswerWithCalls(form, text, cut=draw.random() < 0.25)
