"""What callers of a server of the local API ask, and what others are told who guess it."""

from __future__ import annotations

import base64
import os
import random
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from engine import Engine, EngineSettings, SpeculationSettings, starter_pair
from tests.app.api.serving import Served
from tests.tiny_models import QWEN3, SPECIAL, TEMPLATE, train_tokenizer, write_disturbed_copy, write_model
from tests.tiny_vision import MODELS, picture, write_vision_model

SIZE = float(os.environ.get("TANDEM_CAMPAIGN", "1"))
ROUNDS = max(1, int(6 * SIZE))
WORDS = ("fox", "plan", "sea", "hotel", "summer", "family", "next", "small", "river", "red", "bank", "zebra")
SYSTEM = {"role": "system", "content": "You help a family of five with everything."}
# What is drawn, or a time.
DRAWN = {
    "id", "response_id", "created", "created_at", "completed_at", "expires_at", "timings", "total_duration",
    "load_duration", "prompt_eval_duration", "eval_duration", "tokens_per_second", "time_to_first_token_seconds",
    "speedup", "speedup_low", "speedup_high", "rounding",
}  # fmt: skip
# Figures of rounds, which times decide where the controller chooses their depths, or a runner drafts ahead.
OF_ROUNDS = {"speculation", "completion_tokens_details", "sequence_number"}
# Everybody else: other users, users that look like the one who is spied on, and nobody.
NAMES: tuple[dict[str, Any], ...] = (
    {"user": "Lee"}, {"user": "kim"}, {"user": "Kim "}, {"user": " Kim"}, {"user": "\u041aim"}, {"user": "Kim\u200b"},
    {"user": '["", "Kim"]'}, {"user": ["Kim"]}, {"user": {"id": "Kim"}}, {"user": "x" * 50_000}, {"user": ""},
    {"user": None}, {"user": 7.5}, {"safety_identifier": "Lee"}, {"prompt_cache_key": "Kim"},
    {"user": "Lee", "prompt_cache_key": "Kim"}, {"metadata": {"user_id": "Lee"}}, {"metadata": {"user": "Kim"}}, {},
)  # fmt: skip
KEY = "the key of the whole family"
GREEDY: dict[str, Any] = {"temperature": 0}
SHORT: dict[str, Any] = {**GREEDY, "max_tokens": 8}
OLLAMA: dict[str, Any] = {"options": {"num_predict": 8, **GREEDY}, "stream": False}
LM_STUDIO = "/api/v1/chat"
# The endpoints whose streams are server-sent events.
STREAMS = ("/v1/chat/completions", "/v1/messages", "/v1/responses", LM_STUDIO)


def turn(text: Any) -> dict[str, Any]:
    return {"role": "user", "content": text}


# By endpoint, the body of a call that asks for a text.
SHAPES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "/v1/chat/completions": lambda text: {"messages": [SYSTEM, turn(text)], **SHORT},
    "/v1/messages": lambda text: {"system": SYSTEM["content"], "messages": [turn(text)], **SHORT},
    "/v1/responses": lambda text: {"instructions": SYSTEM["content"], "input": text, "max_output_tokens": 16, **GREEDY},
    "/v1/completions": lambda text: {"prompt": f"{SYSTEM['content']} {text}", **SHORT},
    "/v1/messages/count_tokens": lambda text: {"system": SYSTEM["content"], "messages": [turn(text)]},
    "/v1/embeddings": lambda text: {"input": text},
    "/api/chat": lambda text: {"messages": [SYSTEM, turn(text)], **OLLAMA},
    "/api/generate": lambda text: {"prompt": text, "system": SYSTEM["content"], **OLLAMA},
    "/api/embed": lambda text: {"input": text},
    LM_STUDIO: lambda text: {"input": text, "system_prompt": SYSTEM["content"], "max_output_tokens": 8, **GREEDY},
}  # fmt: skip
LISTS = (
    "/v1/models", "/api/ps", "/api/tags", "/v1/speculation", "/api/v0/models", "/api/v1/models", "/openapi.json",
    "/health",
)  # fmt: skip


def parts(text: str, file: bytes, kind: str) -> list[dict[str, Any]]:
    """Return a question with a picture, as an endpoint takes it."""
    coded = base64.b64encode(file).decode()
    url = f"data:image/png;base64,{coded}"
    pictures: dict[str, dict[str, Any]] = {
        "openai": {"type": "image_url", "image_url": {"url": url}},
        "anthropic": {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": coded}},
        "lm-studio": {"type": "image", "data_url": url},
    }
    words = {"type": "text", "content": text} if kind == "lm-studio" else {"type": "text", "text": text}
    return [words, pictures[kind]]


# By endpoint, the same with a picture.
SEEING: dict[str, Callable[[str, bytes], dict[str, Any]]] = {
    "/v1/chat/completions": lambda text, file: SHAPES["/v1/chat/completions"](parts(text, file, "openai")),
    "/v1/messages": lambda text, file: SHAPES["/v1/messages"](parts(text, file, "anthropic")),
    "/v1/messages/count_tokens": lambda text, file: SHAPES["/v1/messages/count_tokens"](parts(text, file, "anthropic")),
    LM_STUDIO: lambda text, file: SHAPES[LM_STUDIO](parts(text, file, "lm-studio")),
    "/api/chat": lambda text, file: {
        "messages": [SYSTEM, {**turn(text), "images": [base64.b64encode(file).decode()]}], **OLLAMA
    },
}  # fmt: skip


def thinking_pair(folder: Path) -> tuple[Path, Path]:
    """Write a pair whose template opens thoughts, which a limit ends, and shows those of earlier turns."""
    tokenizer = train_tokenizer(512, special=[*SPECIAL, "<think>", "</think>"])
    config = QWEN3 | {"max_position_embeddings": 2048}
    main = write_model(folder / "main", seed=1, config=config, tokenizer=tokenizer)
    kept = "{% if m['reasoning_content'] %}<think>\n{{ m['reasoning_content'] }}\n</think>\n\n{% endif %}"
    template = TEMPLATE.replace("{{ m['content'] }}", kept + "{{ m['content'] }}")
    (main / "chat_template.jinja").write_text(template.replace("assistant\n{% endif", "assistant\n<think>\n{% endif"))
    return main, write_disturbed_copy(main, folder / "draft", amount=0.02)


def seeing_pair(folder: Path) -> tuple[Path]:
    return (write_vision_model(folder / "main", MODELS["gemma3"]),)


def starters(_folder: Path) -> tuple[Path, ...]:
    return starter_pair()


@dataclass(frozen=True)
class Attacked:
    """What the callers share: a model with its drafter, and settings; `fields` are added to each question."""

    models: Callable[[Path], Sequence[Path]] = starters
    speculation: SpeculationSettings = field(default_factory=SpeculationSettings)
    engine: EngineSettings = field(default_factory=EngineSettings)
    key: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    sees: bool = False

    @property
    def left_out(self) -> set[str]:
        return DRAWN if self.speculation.depth is not None and self.engine.draft_ahead == "off" else DRAWN | OF_ROUNDS

    def body(self, path: str, words: str) -> dict[str, Any]:
        """Return a call that asks `words`, with a picture that depends on them if the model sees."""
        asked = SEEING[path](words, file_of(words)) if self.sees else SHAPES[path](words)
        return {**asked, **(self.fields if "messages" in asked or "input" in asked else {})}

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(SEEING if self.sees else SHAPES)


DRAFTED = SpeculationSettings(method="draft", depth=4, sample_share=0.0)
LOOKED_UP = SpeculationSettings(method="ngram", depth=8, sample_share=0.0)
ATTACKED = {
    "automatic": Attacked(),
    "draft": Attacked(speculation=DRAFTED),
    "look-up": Attacked(speculation=LOOKED_UP),
    "thinking": Attacked(thinking_pair, DRAFTED, fields={"thinking_budget": 4}),
    "pictures": Attacked(seeing_pair, LOOKED_UP, sees=True),
    "key": Attacked(speculation=DRAFTED, key=KEY),
    "drafting ahead": Attacked(speculation=DRAFTED, engine=EngineSettings(draft_ahead="here")),
}


def file_of(words: str) -> bytes:
    return picture(zlib.crc32(words.split(" ")[0].encode()))


@contextmanager
def serving(attacked: Attacked, folder: Path) -> Iterator[Served]:
    models = map(str, attacked.models(folder))
    with Engine(attacked.engine) as engine:
        served = Served(engine, next(models), next(models, None), key=attacked.key, speculation=attacked.speculation)
        if attacked.key is not None:
            served.client.headers["authorization"] = f"Bearer {attacked.key}"
        try:
            yield served
        finally:
            served.close()


def bare(value: Any, left_out: set[str]) -> Any:
    """Return a value of JSON without the fields of these names."""
    if isinstance(value, dict):
        return {name: bare(item, left_out) for name, item in value.items() if name not in left_out}
    return [bare(item, left_out) for item in value] if isinstance(value, list) else value


def told(response: httpx2.Response, left_out: set[str]) -> Any:
    """Return what a reply says, without what is drawn and times."""
    with suppress(ValueError):
        return response.status_code, bare(response.json(), left_out)
    return response.status_code, response.text


def streamed(served: Served, path: str, body: dict[str, Any], left_out: set[str]) -> Any:
    """Return the kinds of the events of a streamed answer, and the last one with its figures.

    How many events a text is cut into, and how often progress is told, are times.
    """
    events = list(served.events(path, body))
    kinds = dict.fromkeys(str(event.get("type")) for event in events)
    return tuple(kinds), bare(events[-1], left_out)


def leaves(value: Any, place: str = "") -> dict[str, Any]:
    """Return what is in a reply by its place, so that a failure shows the difference alone."""
    if isinstance(value, dict | list | tuple):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        return {name: leaf for key, part in parts for name, leaf in leaves(part, f"{place}/{key}").items()}
    return {place: value}


def said(draw: random.Random, count: int) -> str:
    return " ".join(draw.choices(WORDS, k=count))


def confide(served: Served, attacked: Attacked, words: str) -> dict[str, Any]:
    """Let a caller ask in all shapes, so that whatever is kept of a call is; return the replies."""
    replies = {}
    for path in attacked.paths:
        reply = served.post(path, {**attacked.body(path, words), "user": "Kim"})
        assert reply.status_code == 200, (path, reply.text)
        replies[path] = reply.json()
    return replies


def guesses(words: str) -> list[str]:
    """Return what whoever wants to know `words` would try: more and more of them, all of them, and too much."""
    parts = words.split(" ")
    return [" ".join(parts[:count]) for count in range(1, len(parts), 2)] + [words, f"{words} {words}"]


def followed(attacked: Attacked, words: str, answer: str) -> dict[str, Any]:
    """Return a call that follows a guessed conversation, whose thoughts it does not have."""
    past = [*attacked.body("/v1/chat/completions", words)["messages"], {"role": "assistant", "content": answer}]
    return {"messages": [*past, turn("And?")], **SHORT, **attacked.fields}


def overheard(
    served: Served, attacked: Attacked, draw: random.Random, words: str, answer: str, name_of_answer: str
) -> list[Any]:
    """Return all that other callers are told who guess `words` and what was answered."""
    calls = list[Any]()

    def call(path: str, words: str, body: dict[str, Any], headers: Mapping[str, str] | None = None) -> None:
        reply = served.post(path, body, headers=headers)
        calls.append((path, words, str(body.get("user"))[:40], told(reply, attacked.left_out)))

    for guess in guesses(words):
        # Before it asks the same, which gives it thoughts of its own.
        call("/v1/chat/completions", guess, {**followed(attacked, guess, answer), **draw.choice(NAMES)})
        path, name = draw.choice(attacked.paths), draw.choice(NAMES)
        call(path, guess, {**attacked.body(path, guess), **name})
    for path in sorted({*STREAMS} & {*attacked.paths}):
        body = {**attacked.body(path, words), "stream_options": {"include_usage": True}, **draw.choice(NAMES)}
        calls.append((f"{path} streamed", words, "", streamed(served, path, body, attacked.left_out)))
    call(LM_STUDIO, "its chat", {**attacked.body(LM_STUDIO, "And?"), "previous_response_id": name_of_answer})
    call(LM_STUDIO, "a chat", {**attacked.body(LM_STUDIO, "And?"), "previous_response_id": "resp_1"})
    call("/v1/chat/completions", "wrong", {"messages": [turn(words)], "max_tokens": words})
    call("/v1/chat/completions", "long", {"messages": [turn(f"{words} " * 4_000)], "max_tokens": 1})
    no_key = {"authorization": f"Bearer {words}"}
    call("/v1/chat/completions", "another key", attacked.body("/v1/chat/completions", words), no_key)
    calls += [(path, "", "", told(served.get(path), attacked.left_out)) for path in LISTS]
    return calls
