"""LiteLLM: whole and streamed answers, over the OpenAI, the Anthropic and Ollama's API, and calls of a function."""

import json
import sys

import litellm

question, starter, caller = sys.argv[1:]
TOOL = {
    "type": "function",
    "function": {
        "name": "weather",
        "parameters": {"type": "object", "properties": {"city": {"enum": ["Seoul", "Rio"]}}, "required": ["city"]},
    },
}


def ask(model: str, address: str, **more: object) -> object:
    messages = [{"role": "user", "content": question}]
    return litellm.completion(
        model=model,
        api_base=address,
        api_key="none",
        messages=messages,
        **({"temperature": 0, "max_tokens": 24} | more),
    )


whole = ask("openai/gpt-4o", f"{starter}/v1").choices[0].message.content
parts = ask("openai/gpt-4o", f"{starter}/v1", stream=True)
assert whole == "".join(part.choices[0].delta.content or "" for part in parts)
assert whole == ask("anthropic/claude-haiku-4-5", starter).choices[0].message.content
for provider in ("ollama", "ollama_chat"):
    assert whole == ask(f"{provider}/starter/main", starter).choices[0].message.content
called = ask("openai/gpt-4o", f"{caller}/v1", tools=[TOOL], tool_choice="required", max_tokens=400)
for call in called.choices[0].message.tool_calls:
    assert json.loads(call.function.arguments)["city"] in ("Seoul", "Rio")
print(whole)
