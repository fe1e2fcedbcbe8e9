"""Callers of the local API that try to tell what another one has asked: their replies do not depend on it.

Two servers hear the same calls, but for the words of one caller. Whatever the other callers are told must be the same
on both, but for names that are drawn and times. What speeds tell is said in SECURITY.md.
"""

from __future__ import annotations

import json
import os
import random
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import httpx2
import pytest

from engine import Engine, starter_pair
from tests.app.api.serving import Served

pytestmark = pytest.mark.campaign
SIZE = float(os.environ.get("TANDEM_CAMPAIGN", "1"))
ROUNDS = int(12 * SIZE)
WORDS = ("fox", "plan", "sea", "hotel", "summer", "family", "next", "small", "river", "red", "bank", "zebra")
SYSTEM = {"role": "system", "content": "You help a family of five with everything."}
# What is drawn, a time, or a figure of rounds, whose depths are chosen by times.
DRAWN = {
    "id", "created", "created_at", "completed_at", "expires_at", "timings", "total_duration", "load_duration",
    "prompt_eval_duration", "eval_duration", "speculation",
    "completion_tokens_details",
}  # fmt: skip
# Everybody else: other users, users that look like the one who is spied on, and nobody.
NAMES: tuple[dict[str, Any], ...] = (
    {"user": "Lee"}, {"user": "kim"}, {"user": "Kim "}, {"user": " Kim"}, {"user": "\u041aim"}, {"user": "Kim\u200b"},
    {"user": '["", "Kim"]'}, {"user": ["Kim"]}, {"user": {"id": "Kim"}}, {"user": "x" * 50_000}, {"user": ""},
    {"user": None}, {"user": 7.5}, {"safety_identifier": "Lee"}, {"prompt_cache_key": "Kim"},
    {"user": "Lee", "prompt_cache_key": "Kim"}, {"metadata": {"user_id": "Lee"}}, {"metadata": {"user": "Kim"}}, {},
)  # fmt: skip
SHORT: dict[str, Any] = {"options": {"num_predict": 4}, "stream": False}


def turn(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


# By endpoint, the body of a call that asks for a text.
SHAPES: dict[str, Any] = {
    "/v1/chat/completions": lambda text: {"messages": [SYSTEM, turn(text)], "max_tokens": 4},
    "/v1/messages": lambda text: {"system": SYSTEM["content"], "messages": [turn(text)], "max_tokens": 4},
    "/v1/responses": lambda text: {"instructions": SYSTEM["content"], "input": text, "max_output_tokens": 16},
    "/v1/completions": lambda text: {"prompt": f"{SYSTEM['content']} {text}", "max_tokens": 4},
    "/v1/messages/count_tokens": lambda text: {"system": SYSTEM["content"], "messages": [turn(text)]},
    "/v1/embeddings": lambda text: {"input": text},
    "/api/chat": lambda text: {"messages": [SYSTEM, turn(text)], **SHORT},
    "/api/generate": lambda text: {"prompt": text, "system": SYSTEM["content"], **SHORT},
    "/api/embed": lambda text: {"input": text},
}
LISTS = ("/v1/models", "/api/ps", "/api/tags", "/v1/speculation", "/api/v0/models", "/openapi.json", "/health")


@contextmanager
def serving() -> Iterator[Served]:
    with Engine() as engine:
        served = Served(engine, *map(str, starter_pair()))
        try:
            yield served
        finally:
            served.close()


def told(response: httpx2.Response) -> Any:
    """Return what a reply says, without what is drawn and times."""

    def bare(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: bare(item) for name, item in value.items() if name not in DRAWN}
        return [bare(item) for item in value] if isinstance(value, list) else value

    with suppress(ValueError):
        return response.status_code, bare(response.json())
    return response.status_code, response.text


def leaves(value: Any, place: str = "") -> dict[str, Any]:
    """Return what is in a reply by its place, so that a failure shows the difference alone."""
    if isinstance(value, dict | list | tuple):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        return {name: leaf for key, part in parts for name, leaf in leaves(part, f"{place}/{key}").items()}
    return {place: value}


def said(draw: random.Random, count: int) -> str:
    return " ".join(draw.choices(WORDS, k=count))


def confide(served: Served, words: str) -> None:
    """Let a caller ask in all shapes, so that whatever is kept of a call is."""
    for path, body in SHAPES.items():
        assert served.post(path, {**body(words), "user": "Kim"}).status_code == 200


def guesses(words: str) -> list[str]:
    """Return what whoever wants to know `words` would try: more and more of them, and too much."""
    parts = words.split(" ")
    return [" ".join(parts[:count]) for count in range(1, len(parts) + 1, 2)] + [f"{words} {words}"]


def overheard(served: Served, draw: random.Random, words: str) -> list[Any]:
    """Return all that other callers are told who guess `words`."""
    calls = []
    for guess in guesses(words):
        path, name = draw.choice(list(SHAPES)), draw.choice(NAMES)
        body = {**SHAPES[path](guess), **name}
        calls.append((path, guess, str(name)[:40], told(served.post(path, body))))
    calls += [(path, "", "", told(served.get(path))) for path in LISTS]
    wrong = {"messages": [turn(words)], "max_tokens": words}
    calls.append(("wrong", words, "", told(served.post("/v1/chat/completions", wrong))))
    long = {"messages": [turn(f"{words} " * 4_000)], "max_tokens": 1}
    calls.append(("long", words, "", told(served.post("/v1/chat/completions", long))))
    return calls


def test_no_reply_depends_on_what_another_caller_has_asked() -> None:
    draw, compared = random.Random(107), Counter[str]()
    with serving() as first, serving() as second:
        for _ in range(ROUNDS):
            asked, other = said(draw, 12), said(draw, 12)
            confide(first, asked)
            confide(second, other)
            seed = draw.random()
            heard = [overheard(served, random.Random(seed), asked) for served in (first, second)]
            for here, there in zip(*heard, strict=True):
                compared[here[0]] += 1
                different = leaves(here).items() ^ leaves(there).items()
                assert not different, here[:3]
    print(dict(compared))


def test_no_reply_of_an_answer_in_the_same_batch_depends_on_the_others() -> None:
    """The text, and what is cached; the figures of rounds depend on how long others answer."""
    draw, compared = random.Random(108), 0
    with serving() as first, serving() as second:
        for _ in range(ROUNDS):
            asked, other = said(draw, 12), said(draw, 12)
            heard = list[list[Any]]()
            for served, words in ((first, asked), (second, other)):
                body = {"messages": [SYSTEM, turn(words)], "max_tokens": 200, "user": "Kim"}
                speaking = threading.Thread(target=served.chat, args=(body,))
                speaking.start()
                found = []
                for guess in guesses(asked):
                    reply = served.chat({**SHAPES["/v1/chat/completions"](guess), "user": f"Lee {guess}"})
                    found.append((reply["choices"][0]["message"]["content"], reply["usage"]["prompt_tokens_details"]))
                speaking.join()
                heard.append(found)
            compared += len(heard[0])
            assert heard[0] == heard[1]
    print(compared, "replies")


def test_no_word_of_a_call_is_in_the_events_of_its_rounds() -> None:
    draw, lines, ended = random.Random(109), list[str](), threading.Event()
    with serving() as served:

        def listen() -> None:
            with served.client.stream("GET", "/v1/speculation/events") as events:
                for line in events.iter_lines():
                    lines.append(line)
                    if ended.is_set():
                        return

        listening = threading.Thread(target=listen)
        listening.start()
        for number in range(ROUNDS):
            words = said(draw, 12)
            body = {"messages": [SYSTEM, turn(f"Repeat: {words}")], "max_tokens": 40}
            reply = served.chat(body | {"user": "Kim"})
            assert reply["choices"][0]["message"]["content"]
            if number == ROUNDS - 1:
                ended.set()
                served.chat(body)
        listening.join()
    events = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: {")]
    texts = {value for event in events for value in event.values() if isinstance(value, str)}
    print(len(events), "events", sorted(text for text in texts if not text.startswith("call-")))
    assert events
    assert not [text for text in texts if any(word in text.split() for word in WORDS)]
