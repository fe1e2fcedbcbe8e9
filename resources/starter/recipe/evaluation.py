"""What the pair can do, measured through mlx on held-out questions: right answers and accepted guesses.

Decoding is greedy. A speculative round is replayed from the main model's answer: wherever a round begins, the
draft guesses DEPTH tokens, and the longest prefix that equals the answer is accepted, as in the engine.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import mlx.core as mx
from mlx_lm import load
from mlx_lm.models.cache import make_prompt_cache, trim_prompt_cache

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from resources.starter.recipe.content import HeldOut

MAX_TOKENS = 160
DEPTH = 4


@dataclass
class Tally:
    """Counts of one kind of question; rates are what a report shows."""

    questions: int = 0
    right: int = 0
    drafted: int = 0
    accepted: int = 0

    @property
    def right_share(self) -> float:
        return self.right / max(1, self.questions)

    @property
    def accept_rate(self) -> float:
        return self.accepted / max(1, self.drafted)

    def add(self, other: Tally) -> None:
        self.questions += other.questions
        self.right += other.right
        self.drafted += other.drafted
        self.accepted += other.accepted


@dataclass(frozen=True)
class Outcome:
    """One held-out question, what the main model answered last, and what the draft's guesses were worth."""

    question: HeldOut
    answer: str
    tally: Tally


@dataclass
class Pair:
    """A main and a draft model folder, loaded by mlx-lm."""

    main: Any
    draft: Any
    tokenizer: Any
    ends: set[int] = field(default_factory=set)

    @classmethod
    def load(cls, folder: Path) -> Pair:
        """The pair in folder/main and folder/draft, in float32: the exact values of the bfloat16 weights."""
        main, tokenizer, *_ = load(str(folder / "main"))
        draft, *_ = load(str(folder / "draft"))
        for model in (main, draft):
            model.set_dtype(mx.float32)
        return cls(main, draft, tokenizer, set(tokenizer.eos_token_ids))

    def answer(self, messages: Sequence[dict[str, str]]) -> tuple[str, Tally]:
        """Main's greedy answer to the last message, and the draft's guesses on it."""
        prompt = self.tokenizer.apply_chat_template(list(messages), add_generation_prompt=True)
        ids = self._greedy(prompt)
        tally = self._replay(prompt, ids)
        text = self.tokenizer.decode([token for token in ids if token not in self.ends])
        return text.strip(), tally

    def _greedy(self, prompt: list[int]) -> list[int]:
        cache = make_prompt_cache(self.main)
        token = _choices(self.main, prompt, cache)[-1]
        ids = [token]
        while token not in self.ends and len(ids) < MAX_TOKENS:
            token = _choices(self.main, [token], cache)[-1]
            ids.append(token)
        return ids

    def _replay(self, prompt: list[int], answer: list[int]) -> Tally:
        """Rounds of DEPTH guesses over `answer`; the first token of all comes from the prompt's own pass."""
        tally = Tally()
        cache = make_prompt_cache(self.draft)
        unread, place = list(prompt) + answer[:1], 1
        while place < len(answer):
            guesses: list[int] = []
            while len(guesses) < DEPTH and not self.ends.intersection(guesses):
                guesses.append(_choices(self.draft, unread, cache)[-1])
                unread = guesses[-1:]
            matching = _matching(guesses, answer[place:])
            tally.drafted += len(guesses)
            tally.accepted += matching
            kept = min(matching, len(guesses) - 1)
            trim_prompt_cache(cache, len(guesses) - 1 - kept)
            committed = answer[place : place + matching + 1]
            unread = committed[kept:]
            place += len(committed)
        return tally


def _choices(model: Any, ids: Sequence[int], cache: Any) -> list[int]:
    """The most likely token after each of `ids`."""
    logits = model(mx.array([list(ids)]), cache=cache)
    return list(mx.argmax(logits[0], axis=-1).tolist())


def _matching(guesses: Sequence[int], tokens: Sequence[int]) -> int:
    for index, guess in enumerate(guesses):
        if index >= len(tokens) or tokens[index] != guess:
            return index
    return len(guesses)


def judge(pair: Pair, question: HeldOut) -> Outcome:
    """Ask the turns in order, keeping the pair's own answers, and judge the last."""
    messages: list[dict[str, str]] = []
    tally = Tally(questions=1)
    answer = ""
    for turn in question.turns:
        messages.append({"role": "user", "content": turn})
        answer, guesses = pair.answer(messages)
        messages.append({"role": "assistant", "content": answer})
        tally.add(guesses)
    tally.right = int(question.is_answered_by(answer))
    return Outcome(question, answer, tally)


def tallies(outcomes: Iterable[Outcome]) -> dict[str, dict[str, Tally]]:
    """Sums by language and by kind of question, and over all."""
    sums: dict[str, dict[str, Tally]] = {
        "language": defaultdict(Tally),
        "kind": defaultdict(Tally),
        "subject": defaultdict(Tally),
        "all": defaultdict(Tally),
    }
    for outcome in outcomes:
        question = outcome.question
        sums["language"][question.language].add(outcome.tally)
        sums["kind"][question.kind].add(outcome.tally)
        sums["subject"][question.subject].add(outcome.tally)
        sums["all"]["all"].add(outcome.tally)
    return sums


def report(outcomes: Sequence[Outcome]) -> str:
    """A table of every sum, then every wrong answer."""
    lines = []
    for heading, group in tallies(outcomes).items():
        if heading == "subject":
            continue
        for name, tally in sorted(group.items()):
            lines.append(
                f"{name:<12} {tally.right:>4}/{tally.questions:<4} right {tally.right_share:6.1%}   "
                f"accepted {tally.accepted:>6}/{tally.drafted:<6} {tally.accept_rate:6.1%}"
            )
    for outcome in outcomes:
        if not outcome.tally.right:
            asked = " / ".join(outcome.question.turns)
            wanted = json.dumps(outcome.question.expect, ensure_ascii=False)
            lines.append(f"wrong [{outcome.question.language}] {outcome.question.subject}: {asked}")
            lines.append(f"    wanted {wanted}, got {outcome.answer!r}")
    return "\n".join(lines)
