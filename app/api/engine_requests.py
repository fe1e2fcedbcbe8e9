"""From what an endpoint has read of a call to the engine's requests: the same for every endpoint."""

from __future__ import annotations

from typing import Any

from app.api.errors import of_engine
from app.api.request_settings import Choices
from app.api.tool_use import ToolUse
from engine.errors import EngineError
from engine.grammars.grammar import Grammar
from engine.requests import ChatRequest


def engine_requests(
    choices: Choices, tools: ToolUse | None = None, answer: Grammar | None = None, param: str = "", **content: Any
) -> list[ChatRequest]:
    """One request for each of the answers that `choices` ask for. Raises `ApiError`.

    An answer without calls has to match `answer`, which the field `param` of the call says. `content` are the fields of
    ChatRequest that hold the prompt or say how it is rendered, and how many alternatives come with each token.
    """
    tools = tools or ToolUse()
    grammar = tools.grammar(answer, param)
    try:
        return [
            ChatRequest(
                sampling=choices.sampling_of(index),
                speculation=choices.speculation,
                max_tokens=choices.max_tokens,
                stop=choices.stop + tools.stop(grammar),
                tools=tools.tools,
                grammar=grammar,
                **content,
            )
            for index in range(choices.count)
        ]
    except EngineError as error:
        raise of_engine(error) from error
