"""OpenAI Agents: an agent over both of OpenAI's APIs, streamed too, and one that has to call a tool."""

import asyncio
import sys
from typing import Literal

from agents import (
    Agent,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI

question, starter, caller = sys.argv[1:]
set_tracing_disabled(True)
called: list[str] = []


@function_tool
def weather(city: Literal["Seoul", "Rio"]) -> str:
    """Tell the weather."""
    called.append(city)
    return f"rain in {city}"


async def ask(kind: type, address: str, tokens: int, **fields: object) -> Agent:
    client = AsyncOpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0)
    settings = ModelSettings(temperature=0, max_tokens=tokens, **fields.pop("settings", {}))
    return Agent("Tandem", model=kind("gpt-4o", openai_client=client), model_settings=settings, **fields)


async def main() -> set[str]:
    answers = set()
    for kind in (OpenAIChatCompletionsModel, OpenAIResponsesModel):
        plain = await ask(kind, starter, 400)
        answers.add((await Runner.run(plain, question)).final_output)
        streamed = Runner.run_streamed(plain, question)
        async for _event in streamed.stream_events():
            pass
        answers.add(streamed.final_output)
        before = len(called)
        settings = {"tool_choice": "required", "parallel_tool_calls": False}
        must = await ask(kind, caller, 400, tools=[weather], settings=settings, tool_use_behavior="stop_on_first_tool")
        assert (await Runner.run(must, question)).final_output.startswith("rain in ")
        assert len(called) == before + 1
    return answers


[answer] = asyncio.run(main())
print(answer)
