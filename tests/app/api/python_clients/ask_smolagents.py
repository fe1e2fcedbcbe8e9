"""smolagents: a model's answers, and a call of a tool, which it always requires."""

import json
import sys

from smolagents import ChatMessage, OpenAIServerModel, Tool

question, starter, caller = sys.argv[1:]


class Weather(Tool):
    name, description, output_type = "weather", "Tell the weather.", "string"
    inputs = {"city": {"type": "string", "description": "The name of a city.", "enum": ["Seoul", "Rio"]}}  # noqa: RUF012

    def forward(self, city: str) -> str:
        return f"rain in {city}"


def model(address: str, tokens: int) -> OpenAIServerModel:
    return OpenAIServerModel("gpt-4o", api_base=f"{address}/v1", api_key="none", temperature=0, max_tokens=tokens)


asked = [ChatMessage(role="user", content=[{"type": "text", "text": question}])]
whole = model(starter, 24).generate(asked).content
assert whole == "".join(part.content or "" for part in model(starter, 24).generate_stream(asked))
# A model of random weights goes on calling.
called = model(caller, 400).generate(asked, tools_to_call_from=[Weather()], parallel_tool_calls=False)
[call] = called.tool_calls
assert (call.function.name, json.loads(call.function.arguments)["city"] in ("Seoul", "Rio")) == ("weather", True)
print(whole)
