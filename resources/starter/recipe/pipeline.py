"""From nothing to the shipped pair: corpus, tokenizer, main, draft, folders."""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from tokenizers import Tokenizer

from resources.starter.recipe.corpus import conversations, long_conversations
from resources.starter.recipe.distillation import distillation_loss
from resources.starter.recipe.export import export_model
from resources.starter.recipe.model import DRAFT, MAIN, LanguageModel
from resources.starter.recipe.packing import LONG_ROW, SHORT_ROW, Rows, pack
from resources.starter.recipe.tokenizer import train_tokenizer
from resources.starter.recipe.training import Schedule, batches, train

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_TOKENIZER_CONVERSATIONS = 16_000
_LONG_EVERY = 8


@dataclass(frozen=True)
class Plan:
    """How much to train. The defaults made the shipped pair."""

    seed: int = 20
    conversations: int = 60_000
    long_conversations: int = 900
    main_steps: int = 1800
    draft_steps: int = 1500


def build(plan: Plan, work: Path, target: Path) -> None:
    """Train both models, with checkpoints in `work`, and write target/main and target/draft."""
    work.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(plan.seed)
    tokenizer = _tokenizer(plan, work / "tokenizer.json")
    short = pack(tokenizer, conversations(plan.seed, plan.conversations), SHORT_ROW)
    long = pack(tokenizer, long_conversations(plan.seed, plan.long_conversations), LONG_ROW)
    print(f"{len(short)} rows of {SHORT_ROW}, {len(long)} of {LONG_ROW}", file=sys.stderr)

    main = LanguageModel(MAIN)
    schedule = Schedule(plan.main_steps, tokens_per_step=4096)
    data = batches(short, long, schedule.tokens_per_step, seed=plan.seed, long_every=_LONG_EVERY)
    train(main, data, schedule, work / "main.pt")
    export_model(main, tokenizer, target / "main")

    draft = LanguageModel(DRAFT)
    _distil(main, draft, plan, short, long, work)
    export_model(draft, tokenizer, target / "draft")


def _distil(
    main: LanguageModel, draft: LanguageModel, plan: Plan, short: Rows, long: Rows, work: Path
) -> None:
    schedule = Schedule(plan.draft_steps, tokens_per_step=4096)
    data = batches(short, long, schedule.tokens_per_step, seed=plan.seed + 1, long_every=_LONG_EVERY)
    train(draft, data, schedule, work / "draft.pt", distillation_loss(main))


def _tokenizer(plan: Plan, path: Path) -> Tokenizer:
    if path.exists():
        return Tokenizer.from_file(str(path))
    tokenizer = train_tokenizer(_texts(plan.seed))
    tokenizer.save(str(path))
    return tokenizer


def _texts(seed: int) -> Iterator[str]:
    """What the tokenizer sees: each wording once, however often the training rows hold it, and the roles."""
    seen: set[str] = set()
    for conversation in conversations(seed, _TOKENIZER_CONVERSATIONS):
        for turn in conversation.turns:
            seen.update((turn.user, turn.answer))
    texts = sorted(seen)
    random.Random(seed).shuffle(texts)
    yield from texts
    yield from ["system\nuser\nassistant\n"] * 200
