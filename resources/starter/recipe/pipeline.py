"""Builds the shipped pair: corpus, tokenizer, main, draft, folders."""

from __future__ import annotations

import random
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING

import torch
from tokenizers import Tokenizer

from resources.starter.recipe.chain_head import EagleHead, EagleShape, MtpHead, MtpShape
from resources.starter.recipe.chain_training import train_chain_head
from resources.starter.recipe.circuits import wire_copying
from resources.starter.recipe.corpus import conversations, long_conversations
from resources.starter.recipe.courses import CHANGED_FACTS, COURSES, DEEPER_COURSES, EVERYTHING, WHOLE
from resources.starter.recipe.distillation import with_choices
from resources.starter.recipe.export import export_head, export_model, load_head, load_model
from resources.starter.recipe.generation import answered_by
from resources.starter.recipe.head import Head, HeadShape
from resources.starter.recipe.head_training import (
    Read,
    load_read,
    read_by,
    save_read,
    train_head,
)
from resources.starter.recipe.help_file import answers_file
from resources.starter.recipe.model import DRAFT, MAIN, YOUNG_MAIN, LanguageModel, deepened
from resources.starter.recipe.odd_requests import odd_conversations
from resources.starter.recipe.packing import (
    LONG_ROW,
    SHORT_ROW,
    Rows,
    encode_conversations,
    pack,
    with_repeats,
)
from resources.starter.recipe.quantisation import write_quantised
from resources.starter.recipe.tokenizer import (
    END_OF_TEXT,
    SPECIAL_TOKENS,
    VOCABULARY_SIZE,
    train_tokenizer,
)
from resources.starter.recipe.training import batches, next_token_loss, rates, train
from resources.starter.recipe.written_files import write_checksums

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from resources.starter.recipe.conversations import Conversation
    from resources.starter.recipe.courses import Course
    from resources.starter.recipe.plan import Plan
    from resources.starter.recipe.training import Batch

_TOKENIZER_CONVERSATIONS = 20_000
# Of the draft's steps; every so many hold long rows.
_TOKENS_PER_STEP = 24_576
_LONG_EVERY, _LATE_ROWS = 8, 64
_LONGEST_ODD_PROMPT = SHORT_ROW - 120
# Rows in which the long answer has room.
_WHOLE_ROW = 352
# What a draft and a head that follow a changed main begin with, as shares of the full rate.
_RATE_OF_FOLLOWING, _RATE_OF_REFRESH = 0.4, 0.5


def build(plan: Plan, work: Path, target: Path) -> None:
    """Train both models, with checkpoints in `work`, and write target/main and target/draft."""
    work.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(plan.seed)
    tokenizer = _tokenizer(plan.seed, work / "tokenizer.json")
    long = _long_rows(tokenizer, plan)

    young = LanguageModel(YOUNG_MAIN)
    held = wire_copying(young)
    lessons = partial(_lessons, COURSES, tokenizer, long)
    train(
        young,
        lessons,
        rates(COURSES),
        work / "young.pt",
        loss_of=next_token_loss,
        held=held,
        held_steps=COURSES[0].steps,
    )

    main = deepened(young)
    deeper = partial(_lessons, DEEPER_COURSES, tokenizer, long)
    train(main, deeper, rates(DEEPER_COURSES), work / "main.pt", loss_of=next_token_loss)
    export_model(main, tokenizer, target / "main", answers_file())
    teach_everything(plan, work, target)
    distil(plan, work, target, LanguageModel(DRAFT), 1.0)
    build_head(plan, work, target)


def refresh(plan: Plan, work: Path, target: Path) -> None:
    """Give target/main the last course again, whose texts may have changed, and have draft and head follow."""
    work.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(plan.seed)
    teach_everything(plan, work, target)
    distil(plan, work, target, load_model(DRAFT, target / "draft"), _RATE_OF_FOLLOWING)
    refresh_head(plan, work, target)


def teach_facts(plan: Plan, work: Path, target: Path) -> None:
    """Give target/main the course of changed facts, and have draft and head follow."""
    work.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(plan.seed)
    _teach(CHANGED_FACTS, plan, work / "facts.pt", target)
    distil(plan, work, target, load_model(DRAFT, target / "draft"), _RATE_OF_FOLLOWING)
    refresh_head(plan, work, target)


def teach_everything(plan: Plan, work: Path, target: Path) -> None:
    """Give target/main the last course."""
    _teach(EVERYTHING, plan, work / "everything.pt", target)


def _teach(course: Course, plan: Plan, checkpoint: Path, target: Path) -> None:
    """Give target/main this course."""
    tokenizer = Tokenizer.from_file(str(target / "main" / "tokenizer.json"))
    main = load_model(MAIN, target / "main")
    lessons = partial(_lessons, (course,), tokenizer, _long_rows(tokenizer, plan))
    train(main, lessons, rates((course,)), checkpoint, loss_of=next_token_loss)
    export_model(main, tokenizer, target / "main", answers_file())


def distil(plan: Plan, work: Path, target: Path, draft: LanguageModel, first_rate: float) -> None:
    """Teach `draft` to guess what target/main says; write target/draft and the checksums.

    The rate falls from `first_rate`, a share of the full one.
    """
    tokenizer = Tokenizer.from_file(str(target / "main" / "tokenizer.json"))
    main = load_model(MAIN, target / "main")
    long = _long_rows(tokenizer, plan)
    own = with_choices(main, _own_answers(main, tokenizer, plan))
    endless = batches(
        own, with_choices(main, long.first(_LATE_ROWS)), _TOKENS_PER_STEP, seed=plan.seed, long_every=_LONG_EVERY
    )
    steps = plan.draft_steps
    fall = [first_rate * (1 - step / steps) for step in range(steps)]
    train(draft, lambda start: islice(endless, start, steps), fall, work / "draft.pt", loss_of=next_token_loss)
    export_model(draft, tokenizer, target / "draft")
    write_checksums(target)


def _lessons(courses: Sequence[Course], tokenizer: Tokenizer, long: Rows, start: int) -> Iterator[Batch]:
    """The batches of these courses from step `start` on; a course's rows are drawn when its turn comes."""
    for course in courses:
        if start < course.steps:
            length = _WHOLE_ROW if course.mix.at_length else SHORT_ROW
            drawn = conversations(course.seed, course.conversations, course)
            short = _packed(tokenizer, drawn, length)
            if course.repeats:
                meaningless = range(len(SPECIAL_TOKENS), VOCABULARY_SIZE)
                short = with_repeats(short, course.repeats, meaningless, course.seed)
            endless = batches(
                short,
                long,
                course.tokens_per_step,
                seed=course.seed,
                long_every=course.long_every,
                question_weight=course.question_weight,
            )
            yield from islice(endless, start, course.steps)
        start = max(0, start - course.steps)


def build_head(plan: Plan, work: Path, target: Path) -> None:
    """Train a DFlash head for target/main and write target/head."""
    _train_head(plan, work, target, goes_on=False)


def refresh_head(plan: Plan, work: Path, target: Path) -> None:
    """Let target/head go on learning what target/main says."""
    _train_head(plan, work, target, goes_on=True)


def _train_head(plan: Plan, work: Path, target: Path, *, goes_on: bool) -> None:
    """One thread, so that main's answers do not depend on how many there are."""
    work.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    torch.manual_seed(plan.seed)
    tokenizer = Tokenizer.from_file(str(target / "main" / "tokenizer.json"))
    main = load_model(MAIN, target / "main")
    shape = HeadShape(mask_token=tokenizer.token_to_id(END_OF_TEXT))
    short, long = _read_for_head(main, tokenizer, plan, shape.taps, work)
    if goes_on:
        head = load_head(shape, target / "head")
    else:
        head = Head(shape)
        head.begin_at(main)
    steps, first_rate = (plan.refresh_head_steps, _RATE_OF_REFRESH) if goes_on else (plan.head_steps, 1.0)
    train_head(head, main, short, long, steps, plan.seed, work / "head.pt", first_rate)
    export_head(head, target / "head")
    write_checksums(target)


def _read_for_head(
    main: LanguageModel, tokenizer: Tokenizer, plan: Plan, taps: tuple[int, ...], work: Path
) -> tuple[Read, Read]:
    """What the head learns from, as main reads it: short rows and long ones. `work` keeps both for later runs."""
    short, long = work / "head-short.pt", work / "head-long.pt"
    if not short.exists():
        save_read(read_by(main, _head_rows(main, tokenizer, plan), taps), short)
    if not long.exists():
        save_read(read_by(main, _long_rows(tokenizer, plan).first(plan.head_long_rows), taps), long)
    return load_read(short), load_read(long)


def build_eagle_head(plan: Plan, work: Path, target: Path) -> None:
    """Train an EAGLE-3 head for target/main and write work/eagle3 and work/eagle3-8bit."""
    main, short, long = _for_chain_heads(plan, work, target)
    head = EagleHead(EagleShape())
    said = torch.as_tensor(short.tokens[short.answers].astype("int64"))
    head.choose_targets(torch.bincount(said, minlength=main.shape.vocab_size))
    head.begin_at(main)
    train_chain_head(head, main, short, long, plan.eagle_steps, plan.seed, work / "eagle.pt")
    export_head(head, work / "eagle3")
    write_quantised(work / "eagle3", work / "eagle3-8bit")


def build_mtp_head(plan: Plan, work: Path, target: Path) -> None:
    """Train an MTP head for target/main, from its last layer on, and write work/mtp and work/mtp-8bit."""
    main, short, long = _for_chain_heads(plan, work, target)
    head = MtpHead(MtpShape())
    head.begin_at(main)
    train_chain_head(head, main, short, long, plan.mtp_steps, plan.seed, work / "mtp.pt")
    export_head(head, work / "mtp")
    write_quantised(work / "mtp", work / "mtp-8bit")


def _for_chain_heads(plan: Plan, work: Path, target: Path) -> tuple[LanguageModel, Rows, Rows]:
    """Main, and the rows to learn from. One thread, so that main's answers do not depend on how many there are."""
    work.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    torch.manual_seed(plan.seed)
    tokenizer = Tokenizer.from_file(str(target / "main" / "tokenizer.json"))
    main = load_model(MAIN, target / "main")
    long = _long_rows(tokenizer, plan)
    return main, _own_answers(main, tokenizer, plan), long


def _head_rows(main: LanguageModel, tokenizer: Tokenizer, plan: Plan) -> Rows:
    """What the head learns from: main's own answers, to requests it was never taught too, among written ones."""
    main.eval()
    asked = conversations(plan.seed + 1, plan.head_own_answers, WHOLE)
    odd = odd_conversations(plan.seed + 1, plan.head_odd_requests)
    written = encode_conversations(tokenizer, conversations(plan.seed + 2, plan.head_written_answers, WHOLE))
    own = answered_by(main, tokenizer, chain(asked, odd), _LONGEST_ODD_PROMPT)
    return pack(chain(own, written), _WHOLE_ROW, tokenizer.token_to_id(END_OF_TEXT))


def _long_rows(tokenizer: Tokenizer, plan: Plan) -> Rows:
    return _packed(tokenizer, long_conversations(plan.seed, plan.long_conversations), LONG_ROW)


def _own_answers(main: LanguageModel, tokenizer: Tokenizer, plan: Plan) -> Rows:
    """Return the rows for draft and head: main's answers to fresh questions, among written conversations."""
    main.eval()
    asked = conversations(plan.seed + 1, plan.own_answers, WHOLE)
    written = encode_conversations(tokenizer, conversations(plan.seed + 2, plan.written_answers, WHOLE))
    return pack(chain(answered_by(main, tokenizer, asked), written), _WHOLE_ROW, tokenizer.token_to_id(END_OF_TEXT))


def _packed(tokenizer: Tokenizer, drawn: Iterable[Conversation], length: int) -> Rows:
    return pack(encode_conversations(tokenizer, drawn), length, tokenizer.token_to_id(END_OF_TEXT))


def _tokenizer(seed: int, path: Path) -> Tokenizer:
    if path.exists():
        return Tokenizer.from_file(str(path))
    tokenizer = train_tokenizer(_texts(seed))
    tokenizer.save(str(path))
    return tokenizer


def _texts(seed: int) -> Iterator[str]:
    """Return the tokenizer's texts: each wording once, however often it is trained, and the roles."""
    seen: set[str] = set()
    for conversation in conversations(seed, _TOKENIZER_CONVERSATIONS):
        for turn in conversation.turns:
            seen.update((turn.user, turn.answer))
    texts = sorted(seen)
    random.Random(seed).shuffle(texts)
    yield from texts
    yield from ["system\nuser\nassistant\n"] * 200
