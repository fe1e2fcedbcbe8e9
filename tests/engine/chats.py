"""Turns of a chat whose answers are whole words, so that encoding their text gives the generated tokens."""

from __future__ import annotations

from engine.events import Finished
from engine.requests import ChatRequest, SamplingSettings, SpeculationSettings
from engine.serving.scheduler import Scheduler
from tests.engine.serving_requests import run

DEPTH = 3
DRAFT = SpeculationSettings(method="draft", depth=DEPTH)


def question(
    scheduler: Scheduler, *messages: dict[str, str], max_tokens: int = 12, conversation: str | None = None
) -> ChatRequest:
    """Return a request that is answered in whole words, whose text encodes to the same tokens."""
    vocabulary = scheduler.models.main.tokenizer.get_vocab()
    words = {vocabulary[word]: 60.0 for word in ("Ġfox", "Ġlazy", "Ġdog", "Ġbrown", "Ġover")}
    sampling = SamplingSettings(temperature=0.7, seed=3, logit_bias=words)
    return ChatRequest(messages, sampling=sampling, speculation=DRAFT, max_tokens=max_tokens, conversation=conversation)


def ask(
    scheduler: Scheduler, *messages: dict[str, str], max_tokens: int = 12, conversation: str | None = None
) -> Finished:
    asked = question(scheduler, *messages, max_tokens=max_tokens, conversation=conversation)
    [client] = run(scheduler, asked)
    return client.finished


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def answer(finished: Finished) -> dict[str, str]:
    # The first word's space is not shown.
    return {"role": "assistant", "content": " " + finished.text}
