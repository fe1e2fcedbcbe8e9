"""Random combinations: where a draft runner is, what happens to it, what is asked, how, and after what."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import Any

from engine.grammars.grammar import Grammar
from engine.requests import ChatRequest, SpeculationSettings
from tests.engine.ahead.runners import DISTURBANCES
from tests.engine.lossless.drafters import MARKS
from tests.engine.lossless.table import BUDGET, NO_THOUGHTS, PERSON, THINKING, THOUGHTS
from tests.engine.serving_requests import request, user

# One runner in so many is a process, which takes a second to start.
PROCESSES = 16
# Disturbances after which most of what was prepared can still be used.
USABLE = ("untouched", "wrong_but_possible", "of_an_earlier_round")
QUESTIONS = ("the quick brown fox", "안녕하세요 세계", "こんにちは世界", "你好，世界", "lazy dog " * 12)
# What an answer matches, and whether its thoughts are limited.
KINDS: dict[str, dict[str, Any]] = {
    "text": {},
    "grammar": PERSON,
    "thinking budget": {"thinking_budget": BUDGET, "logit_bias": THOUGHTS},
    "thinking budget, grammar": {
        "thinking_budget": BUDGET,
        "grammar": Grammar("regex", "[ab]{3}"),
        "logit_bias": {**THOUGHTS, MARKS.index("<|im_end|>"): 0.0},
    },
}
PENALTIES: tuple[dict[str, Any], ...] = (
    {},
    {},
    {"repetition_penalty": 1.3, "penalty_window": 8},
    {"presence_penalty": 0.4, "frequency_penalty": 0.2},
)


@dataclass(frozen=True)
class Combination:
    """One combination.

    `place` is "thread", "process" or "tcp", whose messages take `delay_s` seconds. `disturbance` is one of
    DISTURBANCES; a process is stopped and continued instead. `before` is what was answered before: "nothing", "prefix"
    (the turn before the question) or "edit" (the same question with other last words). A further row of a runner's pass
    counts as `row` passes, which decides on the order of its branches; a process measures it.
    """

    place: str
    delay_s: float
    disturbance: str
    before: str
    row: float
    question: str
    kind: str
    speculation: SpeculationSettings
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def asked(self) -> ChatRequest:
        """The question that is compared."""
        return self._with(self.question)

    @property
    def earlier(self) -> ChatRequest | None:
        """What was answered before it."""
        if self.before == "nothing":
            return None
        return self._with(f"{self.question} over there" if self.before == "edit" else self.question)

    def following(self, answer: str) -> ChatRequest:
        """Return the question that is compared, after the earlier one was answered so."""
        if self.before != "prefix":
            return self.asked
        turns = [user(self.question), {"role": "assistant", "content": answer or "."}, user("fox?")]
        return replace(self.asked, messages=turns)

    def _with(self, text: str) -> ChatRequest:
        asked = request(text, speculation=self.speculation, **self.settings)
        return replace(asked, template_options=THINKING if self.kind.startswith("thinking") else {})


def drawn(number: int, seed: int) -> Combination:
    """Return the combination with this number among those of the seed."""
    draw = random.Random(f"{seed} {number}")
    kind = draw.choice(["text", "text", *KINDS])
    settings = {
        "max_tokens": 24,
        "temperature": draw.choice((0.0, 0.5, 0.9, 1.2)),
        "top_p": draw.choice((1.0, 0.9, 0.7)),
        "top_k": draw.choice((0, 0, 12)),
        "seed": draw.randrange(2**32),
        "stop": draw.choice(((), (), ("e",), tuple("xyz"))),
        **draw.choice(PENALTIES),
        "logit_bias": NO_THOUGHTS,
        **KINDS[kind],
    }
    place = "process" if number % PROCESSES == 3 else draw.choice(("thread", "tcp", "tcp"))
    speculation = SpeculationSettings(
        method=draw.choice(("draft", "draft", "auto")),
        depth=draw.choice((None, 1, 3, 4, 8)),
        acceptance=draw.choice(("match", "match", "rejection")),
        sample_share=draw.choice((0.0, 0.02)),
    )
    delay_s = draw.choice((0.0, 0.0002, 0.002, 0.02)) if place == "tcp" else 0.0
    disturbance = draw.choice(list(DISTURBANCES))
    before = draw.choice(("nothing", "prefix", "edit"))
    question = draw.choice(QUESTIONS)
    if speculation.redraws:
        # Prepared tokens have to be verified in most of these, which a short answer and a lost runner prevent.
        settings["max_tokens"] = 48
        disturbance = draw.choice((disturbance, *USABLE))
    return Combination(
        place=place,
        delay_s=delay_s,
        disturbance=disturbance,
        before=before,
        row=draw.choice((0.0, 0.3, 1.0)),
        question=question,
        kind=kind,
        speculation=speculation,
        settings=settings,
    )
