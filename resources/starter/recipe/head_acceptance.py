"""Measures a head's acceptance in greedy rounds over main's own answers, in torch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch

from resources.starter.recipe.conversations import Conversation, Turn
from resources.starter.recipe.generation import greedy
from resources.starter.recipe.packing import encode_conversation
from resources.starter.recipe.tokenizer import TURN_END

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokenizers import Tokenizer

    from resources.starter.recipe.content import EvaluationQuestion
    from resources.starter.recipe.head import Head
    from resources.starter.recipe.model import LanguageModel


@dataclass
class Acceptance:
    """Rounds of one depth: `asked[j]` guesses had only right ones before them, `right[j]` of those were right too."""

    depth: int
    rounds: int = 0
    tokens: int = 0
    asked: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.asked, self.right = [0] * self.depth, [0] * self.depth

    @property
    def tokens_per_round(self) -> float:
        return self.tokens / max(1, self.rounds)

    @property
    def by_position(self) -> list[float]:
        """The probability that a guess is right, given that those before it are."""
        return [right / max(1, asked) for right, asked in zip(self.right, self.asked, strict=True)]


def main_answers(
    main: LanguageModel, tokenizer: Tokenizer, questions: Iterable[EvaluationQuestion]
) -> list[tuple[list[int], int]]:
    """Main's greedy answer to each question's last turn: the ids of the whole chat, and where the answer begins."""
    found = []
    end = tokenizer.token_to_id(TURN_END)
    for question in questions:
        turns: tuple[Turn, ...] = ()
        for text in question.turns:
            asked = (*turns, Turn(text, "", ""))
            prompt, _ = encode_conversation(tokenizer, Conversation(question.language, asked, opening=0))
            (row,) = greedy(main, torch.tensor([prompt]), end)
            answer = row[: row.index(end) + 1] if end in row else row
            turns = (*turns, Turn(text, tokenizer.decode([token for token in answer if token != end]), ""))
        found.append((prompt + answer, len(prompt)))
    return found


@torch.no_grad()
def measure(main: LanguageModel, head: Head, texts: Iterable[tuple[list[int], int]], depth: int) -> Acceptance:
    """Rounds of `depth` guesses over the answers, whose first token comes with the prompt."""
    total = Acceptance(depth)
    for ids, start in texts:
        tokens = torch.tensor([ids])
        _, taps = main.tapped(tokens, head.shape.taps)
        assert taps is not None
        place = start
        while place + 1 < len(ids):
            block = head.blocks_of(main, tokens[:, place])[:, : depth + 1]
            positions = torch.arange(place, place + depth + 1)[None]
            guesses = main.logits(head(block, positions, taps[:, :place]))[0, 1:].argmax(-1).tolist()
            place += _round(total, guesses, ids[place + 1 :])
    return total


def _round(total: Acceptance, guesses: list[int], rest: list[int]) -> int:
    """Count one round, and return how many tokens of `rest` it commits."""
    total.rounds += 1
    accepted = 0
    for place, (guess, token) in enumerate(zip(guesses, rest, strict=False)):
        total.asked[place] += 1
        if guess != token:
            break
        total.right[place] += 1
        accepted += 1
    committed = min(accepted + 1, len(rest))
    total.tokens += committed
    return committed
