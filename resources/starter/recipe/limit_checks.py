"""Checks what the guide declines, what it asks the tools of Tandem, and the answer that it says at length."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from resources.starter.recipe.content import LANGUAGES, read_beyond_held_out, read_content, read_tools_held_out
from resources.starter.recipe.tools import LIST_MODELS, TOOLS, call

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources.starter.recipe.content import Beyond, EvaluationQuestion, ToolQuestion
    from resources.starter.recipe.evaluation import Pair

GIVEN: list[dict[str, Any]] = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}}}
    for name in TOOLS
]
# What a tool says, and the parts that the answer has to repeat.
_MODELS, _FIGURES = ("Starter", "Gemma 3 1B", "Qwen3-4B-4bit"), ("78%", "412", "528")
_LONGEST_ANSWER = 400


@dataclass(frozen=True)
class ToolAnswer:
    """What main says to a question with the tools, to the tool's result, and to the question without tools."""

    question: ToolQuestion
    first: str
    second: str
    without: str

    @property
    def calls_its_tool(self) -> bool:
        return self.first == call(self.question.tool)

    @property
    def repeats_the_result(self) -> bool:
        parts = _MODELS if self.question.tool == LIST_MODELS else _FIGURES[:1]
        return all(part in self.second for part in parts)


def ask_beyond(pair: Pair, questions: Sequence[Beyond]) -> list[tuple[Beyond, str]]:
    """Ask each question alone."""
    answers = pair.answers([[{"role": "user", "content": question.text}] for question in questions])
    return [(question, answer) for question, (answer, _) in zip(questions, answers, strict=True)]


def ask_tools(pair: Pair, questions: Sequence[ToolQuestion]) -> list[ToolAnswer]:
    """Ask each question with the tools, tell what its tool says, and ask it without tools."""
    asked: list[list[dict[str, Any]]] = [[{"role": "user", "content": question.text}] for question in questions]
    first = pair.answers(asked, tools=GIVEN)
    told = [
        [
            *dialogue,
            {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": one.tool, "arguments": {}}}]},
            {"role": "tool", "content": _result(one.tool)},
        ]
        for dialogue, one in zip(asked, questions, strict=True)
    ]
    second = pair.answers(told, tools=GIVEN)
    without = pair.answers(asked)
    return [
        ToolAnswer(question, *(answer for answer, _ in answers))
        for question, *answers in zip(questions, first, second, without, strict=True)
    ]


def at_length(pair: Pair, language: str) -> bool:
    """Whether main says the long answer to the app's question word for word."""
    topic = read_content(language).at_length
    ((answer, _),) = pair.answers([[{"role": "user", "content": topic.questions[0]}]], _LONGEST_ANSWER)
    return answer == topic.answer


def report_limits(pair: Pair) -> str:
    """Return a line for each language, and how many of each kind of request are answered with nonsense."""
    nonsense: Counter[str] = Counter()
    lines = []
    for language in LANGUAGES:
        beyond = ask_beyond(pair, read_beyond_held_out(language))
        wrong = [question.kind for question, answer in beyond if not question.is_answered_by(answer)]
        nonsense.update(wrong)
        tools = ask_tools(pair, read_tools_held_out(language))
        called, repeated = (
            sum(getattr(one, name) for one in tools) for name in ("calls_its_tool", "repeats_the_result")
        )
        calls_without = sum("<tool_call>" in one.without for one in tools)
        lines.append(
            f"limits {language}  {len(beyond) - len(wrong)}/{len(beyond)} declined or right   "
            f"{called}/{len(tools)} call their tool   {repeated}/{len(tools)} repeat its result   "
            f"{calls_without} call without tools   long answer {'whole' if at_length(pair, language) else 'not whole'}"
        )
    lines.append(f"nonsense by kind: {dict(nonsense)}")
    return "\n".join(lines)


def report_calls(pair: Pair, questions: Sequence[EvaluationQuestion]) -> str:
    """Return how many of these questions, none of which is for a tool, are answered by a call with the tools given."""
    asked: list[list[dict[str, Any]]] = [[{"role": "user", "content": question.turns[0]}] for question in questions]
    called = [
        question.turns[0]
        for question, (answer, _) in zip(questions, pair.answers(asked, tools=GIVEN), strict=True)
        if "<tool_call>" in answer
    ]
    return "\n".join([f"{len(called)} of {len(questions)} call a tool where they should answer", *called])


def _result(tool: str) -> str:
    if tool == LIST_MODELS:
        return f"Models on this computer: {', '.join(_MODELS)}."
    percent, accepted, drafted = _FIGURES
    return f"Accepted today: {percent} ({accepted} of {drafted} draft tokens)."
