"""LangChain: whole and streamed answers, answers to a schema, and calls of a tool."""

import sys

from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

question, starter, caller = sys.argv[1:]


class Colour(BaseModel):
    dark: bool


@tool
def weather(city: str) -> str:
    """Tell the weather."""
    return f"rain in {city}"


def model(address: str, **more: object) -> ChatOpenAI:
    return ChatOpenAI(base_url=f"{address}/v1", api_key="none", model="gpt-4o", temperature=0, **more)


chat = model(starter, max_tokens=24)
whole = chat.invoke(question).content
assert whole == "".join(part.content for part in chat.stream(question))
formatted = model(starter).with_structured_output(Colour, method="json_schema").invoke(question)
assert isinstance(formatted.dark, bool)
caller_model = model(caller, max_tokens=400)
called = caller_model.bind_tools([weather], tool_choice="any", parallel_tool_calls=False).invoke(question)
assert called.tool_calls
assert {call["name"] for call in called.tool_calls} == {"weather"}
assert called.content == ""
print(whole)
