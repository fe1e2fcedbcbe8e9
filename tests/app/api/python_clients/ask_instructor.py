"""Instructor: objects of a class, by a schema and by a call that is required."""

import sys
from typing import Literal

import instructor
from openai import OpenAI
from pydantic import BaseModel, ConfigDict

question, starter, caller = sys.argv[1:]


class Weather(BaseModel):
    # Otherwise a model may add properties, and one of random weights never ends.
    model_config = ConfigDict(extra="forbid")
    city: Literal["Seoul", "Rio"]
    rain: bool


for address, mode in (
    (starter, instructor.Mode.JSON_SCHEMA),
    (caller, instructor.Mode.TOOLS),
    (caller, instructor.Mode.TOOLS_STRICT),
):
    plain = OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0)
    found = instructor.from_openai(plain, mode=mode).chat.completions.create(
        model="gpt-4o",
        messages=[{"role": "user", "content": question}],
        response_model=Weather,
        max_retries=0,
        temperature=0,
        max_tokens=400,
    )
    assert isinstance(found, Weather), mode
plain = OpenAI(base_url=f"{starter}/v1", api_key="none", max_retries=0)
asked = {"model": "gpt-4o", "messages": [{"role": "user", "content": question}], "temperature": 0, "max_tokens": 24}
print(plain.chat.completions.create(**asked).choices[0].message.content)
