"""Pydantic AI: agents over both of OpenAI's APIs, with outputs by a schema and by a call that is required."""

import sys
from typing import Literal

from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput, ToolOutput
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

question, starter, caller = sys.argv[1:]


class Weather(BaseModel):
    city: Literal["Seoul", "Rio"]


def openai_models(address: str) -> list[OpenAIChatModel | OpenAIResponsesModel]:
    provider = OpenAIProvider(base_url=f"{address}/v1", api_key="none")
    return [OpenAIChatModel("gpt-4o", provider=provider), OpenAIResponsesModel("gpt-4o", provider=provider)]


short = {"temperature": 0, "max_tokens": 24}
answers = {Agent(model, model_settings=short).run_sync(question).output for model in openai_models(starter)}
assert len(answers) == 1, answers
# A model of random weights goes on calling.
long = {"temperature": 0, "max_tokens": 400, "parallel_tool_calls": False}
for model in openai_models(starter):
    native = Agent(model, output_type=NativeOutput(Weather), model_settings=long).run_sync(question)
    assert native.output.city in ("Seoul", "Rio")
for model in openai_models(caller):
    called = Agent(model, output_type=ToolOutput(Weather), model_settings=long).run_sync(question)
    assert called.output.city in ("Seoul", "Rio")
print(answers.pop())
