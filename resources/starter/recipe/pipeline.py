"""From nothing to the shipped pair: corpus, tokenizer, main, draft, folders."""

from __future__ import annotations

import random
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING

import torch
from tokenizers import Tokenizer

from resources.starter.recipe.circuits import wire_copying
from resources.starter.recipe.corpus import conversations, long_conversations
from resources.starter.recipe.courses import COURSES, DEEPER_COURSES, WHOLE
from resources.starter.recipe.distillation import with_choices
from resources.starter.recipe.export import export_model, write_checksums
from resources.starter.recipe.generation import answered_by
from resources.starter.recipe.model import DRAFT, YOUNG_MAIN, LanguageModel, deepened
from resources.starter.recipe.packing import (
    LONG_ROW,
    SHORT_ROW,
    Rows,
    encode_conversations,
    pack,
    with_repeats,
)
from resources.starter.recipe.tokenizer import END_OF_TEXT, SPECIAL_TOKENS, VOCABULARY_SIZE, train_tokenizer
from resources.starter.recipe.training import batches, rates, train

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from resources.starter.recipe.courses import Course
    from resources.starter.recipe.plan import Plan
    from resources.starter.recipe.training import Batch

_TOKENIZER_CONVERSATIONS = 20_000
_TOKENS_PER_STEP = 3072
_LONG_EVERY, _LATE_ROWS = 8, 64


def build(plan: Plan, work: Path, target: Path) -> None:
    """Train both models, with checkpoints in `work`, and write target/main and target/draft."""
    work.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(plan.seed)
    tokenizer = _tokenizer(plan.seed, work / "tokenizer.json")
    padding = tokenizer.token_to_id(END_OF_TEXT)
    long_examples = encode_conversations(tokenizer, long_conversations(plan.seed, plan.long_conversations))
    long = pack(long_examples, LONG_ROW, padding)

    young = LanguageModel(YOUNG_MAIN)
    held = wire_copying(young)
    lessons = partial(_lessons, COURSES, tokenizer, long)
    train(young, lessons, rates(COURSES), work / "young.pt", held=held, held_steps=COURSES[0].steps)

    main = deepened(young)
    train(main, partial(_lessons, DEEPER_COURSES, tokenizer, long), rates(DEEPER_COURSES), work / "main.pt")
    export_model(main, tokenizer, target / "main")

    draft = LanguageModel(DRAFT)
    own = _own_answers(main, tokenizer, plan)
    endless = batches(
        own, with_choices(main, long.first(_LATE_ROWS)), _TOKENS_PER_STEP, seed=plan.seed, long_every=_LONG_EVERY
    )
    steps = plan.draft_steps
    fall = [1 - step / steps for step in range(steps)]
    train(draft, lambda start: islice(endless, start, steps), fall, work / "draft.pt")
    export_model(draft, tokenizer, target / "draft")
    write_checksums(target)


def _lessons(courses: Sequence[Course], tokenizer: Tokenizer, long: Rows, start: int) -> Iterator[Batch]:
    """The batches of these courses from step `start` on; a course's rows are drawn when its turn comes."""
    for course in courses:
        if start < course.steps:
            drawn = conversations(course.seed, course.conversations, course)
            padding = tokenizer.token_to_id(END_OF_TEXT)
            short = pack(encode_conversations(tokenizer, drawn), SHORT_ROW, padding)
            if course.repeats:
                meaningless = range(len(SPECIAL_TOKENS), VOCABULARY_SIZE)
                short = with_repeats(short, course.repeats, meaningless, course.seed)
            endless = batches(
                short,
                long,
                _TOKENS_PER_STEP,
                seed=course.seed,
                long_every=course.long_every,
                question_weight=course.question_weight,
            )
            yield from islice(endless, start, course.steps)
        start = max(0, start - course.steps)


def _own_answers(main: LanguageModel, tokenizer: Tokenizer, plan: Plan) -> Rows:
    """What the draft learns from: main's answers to fresh questions, among conversations as written."""
    main.eval()
    asked = conversations(plan.seed + 1, plan.own_answers, DEEPER_COURSES[-1])
    written = encode_conversations(tokenizer, conversations(plan.seed + 2, plan.written_answers, WHOLE))
    padding = tokenizer.token_to_id(END_OF_TEXT)
    return with_choices(main, pack(chain(answered_by(main, tokenizer, asked), written), SHORT_ROW, padding))


def _tokenizer(seed: int, path: Path) -> Tokenizer:
    if path.exists():
        return Tokenizer.from_file(str(path))
    tokenizer = train_tokenizer(_texts(seed))
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
