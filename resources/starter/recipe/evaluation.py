"""Measures on questions left out of the training text how often the pair is right and its draft tokens are accepted.

Decoding is greedy. A speculative round is replayed from the main model's answer: wherever a round begins, the
draft guesses DEPTH tokens, and the longest prefix that equals the answer is accepted, as in the engine.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mlx.core as mx
from mlx_lm import load
from mlx_lm.models.cache import BatchKVCache

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from resources.starter.recipe.content import EvaluationQuestion

MAX_TOKENS = 160
DEPTH = 4
BATCH = 64


@dataclass
class Tally:
    """Counts for one kind of question; reports show the rates."""

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
    """A question of the evaluation, the main model's last answer, and the counts of the draft's guesses."""

    question: EvaluationQuestion
    answer: str
    tally: Tally


@dataclass
class Pair:
    """A main and a draft model folder, loaded by mlx-lm."""

    main: Any
    draft: Any
    tokenizer: Any

    @classmethod
    def load(cls, folder: Path) -> Pair:
        """The pair in folder/main and folder/draft, in float32: the exact values of the bfloat16 weights."""
        main, tokenizer, *_ = load(str(folder / "main"))
        draft, *_ = load(str(folder / "draft"))
        for model in (main, draft):
            model.set_dtype(mx.float32)
        return cls(main, draft, tokenizer)

    @property
    def ends(self) -> set[int]:
        return set(self.tokenizer.eos_token_ids)

    def answers(
        self,
        dialogues: Sequence[list[dict[str, Any]]],
        max_tokens: int = MAX_TOKENS,
        tools: Sequence[dict[str, Any]] = (),
    ) -> list[tuple[str, Tally]]:
        """Main's greedy answer to each dialogue's last message, and the draft's guesses on it."""
        template = self.tokenizer.apply_chat_template
        prompts = [template(turns, tools=list(tools) or None, add_generation_prompt=True) for turns in dialogues]
        by_length = sorted(range(len(prompts)), key=lambda place: len(prompts[place]))
        found: dict[int, tuple[str, Tally]] = {}
        for start in range(0, len(by_length), BATCH):
            places = by_length[start : start + BATCH]
            rows = self._greedy([prompts[place] for place in places], max_tokens)
            for place, ids in zip(places, rows, strict=True):
                text = self.tokenizer.decode([token for token in ids if token not in self.ends]).strip()
                found[place] = text, self._guesses(prompts[place], ids)
        return [found[place] for place in range(len(prompts))]

    def _greedy(self, prompts: list[list[int]], max_tokens: int) -> list[list[int]]:
        """Greedy continuations of prompts, padded on their left, each up to its end of turn."""
        longest = max(len(prompt) for prompt in prompts)
        padding = [longest - len(prompt) for prompt in prompts]
        cache = [BatchKVCache(padding) for _ in self.main.layers]
        tokens = mx.array([[0] * count + prompt for count, prompt in zip(padding, prompts, strict=True)])
        columns: list[list[int]] = []
        running = set(range(len(prompts)))
        while running and len(columns) < max_tokens:
            tokens = mx.argmax(self.main(tokens, cache=cache)[:, -1:], axis=-1)
            column = [row[0] for row in tokens.tolist()]
            columns.append(column)
            running = {row for row in running if column[row] not in self.ends}
        return [self._until_end(row) for row in zip(*columns, strict=True)]

    def _until_end(self, row: Sequence[int]) -> list[int]:
        for place, token in enumerate(row):
            if token in self.ends:
                return list(row[: place + 1])
        return list(row)

    def _guesses(self, prompt: list[int], answer: list[int]) -> Tally:
        """What rounds of DEPTH guesses over `answer` accept; its first token comes with the prompt.

        A guess counts only after right ones, so one pass over the answer itself tells them all.
        """
        logits = self.draft(mx.array([prompt + answer[:-1]]))
        guesses = mx.argmax(logits[0, len(prompt) :], axis=-1).tolist()
        tally = Tally()
        place = 1
        while place < len(answer):
            matching = 0
            while matching < DEPTH and place + matching < len(answer):
                if guesses[place + matching - 1] != answer[place + matching]:
                    break
                matching += 1
            committed = min(matching + 1, len(answer) - place)
            is_at_end = answer[place + committed - 1] in self.ends and matching == committed
            tally.drafted += matching if is_at_end else DEPTH
            tally.accepted += matching
            place += committed
        return tally


def judge(pair: Pair, questions: Sequence[EvaluationQuestion]) -> list[Outcome]:
    """Ask each question's turns in order, keeping the pair's own answers, and judge the last."""
    dialogues: list[list[dict[str, Any]]] = [[] for _ in questions]
    outcomes = [Outcome(question, "", Tally(questions=1)) for question in questions]
    for turn in range(max(len(question.turns) for question in questions)):
        asked = [place for place, question in enumerate(questions) if turn < len(question.turns)]
        for place in asked:
            dialogues[place].append({"role": "user", "content": questions[place].turns[turn]})
        answers = pair.answers([dialogues[place] for place in asked])
        for place, (answer, guesses) in zip(asked, answers, strict=True):
            dialogues[place].append({"role": "assistant", "content": answer})
            tally = outcomes[place].tally
            tally.add(guesses)
            tally.right = int(questions[place].is_answered_by(answer))
            outcomes[place] = Outcome(questions[place], answer, tally)
    return outcomes


def tallies(outcomes: Iterable[Outcome]) -> dict[str, dict[str, Tally]]:
    """Return sums by language, by kind of question, and of all."""
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


def report(outcomes: Sequence[Outcome], *, with_failures: bool) -> str:
    """Return a table of all sums and, if asked for, all wrong answers."""
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
        if with_failures and not outcome.tally.right:
            asked = " / ".join(outcome.question.turns)
            wanted = json.dumps(outcome.question.expect, ensure_ascii=False)
            lines.append(f"wrong [{outcome.question.language}] {outcome.question.subject}: {asked}")
            lines.append(f"    wanted {wanted}, got {outcome.answer!r}")
    return "\n".join(lines)
