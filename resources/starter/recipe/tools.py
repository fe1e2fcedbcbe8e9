"""The tools of Tandem that the guide may ask where a chat gives them: calls, results, and what it says then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources.starter.recipe.content import read_tools
from resources.starter.recipe.conversations import Turn
from resources.starter.recipe.skills.texts import nonsense
from resources.starter.recipe.templates import fill

if TYPE_CHECKING:
    from resources.starter.recipe.voice import Voice

TOOL = "tool"
LIST_MODELS, ACCEPTANCE_TODAY = "list_models", "acceptance_today"
TOOLS = (LIST_MODELS, ACCEPTANCE_TODAY)
# A list of models names this many and says how many more there are.
_MOST_NAMED = 8
# Names are harder to repeat than a figure.
_SHARES = (0.65, 0.35)


def tools_line(names: tuple[str, ...] = TOOLS) -> str:
    """What the system message says of the tools, as the chat template writes it."""
    return f"Tools: {', '.join(names)}"


def call(name: str) -> str:
    """The model's call of a tool, as the chat template writes one that was made."""
    return f'<tool_call>\n{{"name": "{name}", "arguments": {{}}}}\n</tool_call>'


def tool_turns(voice: Voice) -> list[Turn]:
    """A question that a tool answers, the call, what the tool says, and the answer that repeats it."""
    name = voice.rng.choices(TOOLS, _SHARES)[0]
    table = read_tools(voice.language)[name]
    result, answer = (_models if name == LIST_MODELS else _acceptance)(voice, table)
    return [
        Turn(voice.word(table["questions"]), call(name), TOOL),
        Turn(f"<tool_response>\n{result}\n</tool_response>", answer, TOOL),
    ]


def _models(voice: Voice, table: dict[str, str]) -> tuple[str, str]:
    rng = voice.rng
    names = [_model(voice) for _ in range(rng.choice([1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 6]))]
    if rng.random() < 0.6:
        names[0] = "Starter"
    listed = ", ".join(dict.fromkeys(names))
    if rng.random() < 0.05:
        names = [_model(voice) for _ in range(_MOST_NAMED)]
        count, listed = rng.randint(1, 20), ", ".join(names)
        more = fill(table["more"], {"count": count})
        return f"Models on this computer: {listed} and {count} more.", fill(
            table["answer"], {"result": f"{listed} {more}"}
        )
    return f"Models on this computer: {listed}.", fill(table["answer"], {"result": listed})


def _model(voice: Voice) -> str:
    """A model's name, real or made up, or what a person called one."""
    rng, table = voice.rng, read_tools("names")
    draw = rng.random()
    if draw < 0.6:
        return str(rng.choice(table["models"]))
    made = "".join(rng.choice("bcdfghklmnprstvz") + rng.choice("aeiou") for _ in range(rng.randint(2, 3)))
    made = (made + rng.choice(["", "n", "r", "x"])).capitalize()
    number = rng.choice(["", " 2", " 3", "-4", "3", " 2.5", "-1.5", " 3.2"])
    if draw < 0.93:
        return f"{made}{number}{rng.choice([' ', '-'])}{rng.choice(table['sizes'])}{rng.choice(table['endings'])}"
    return nonsense(voice)


def _acceptance(voice: Voice, table: dict[str, str]) -> tuple[str, str]:
    rng = voice.rng
    if rng.random() < 0.15:
        return "No draft tokens yet today.", table["none"]
    drafted = rng.randint(1, 10 ** rng.randint(1, 5))
    accepted = rng.randint(0, drafted)
    percent = f"{accepted / drafted:.0%}"
    result = f"Accepted today: {percent} ({accepted} of {drafted} draft tokens)."
    return result, fill(table["answer"], {"percent": percent})
