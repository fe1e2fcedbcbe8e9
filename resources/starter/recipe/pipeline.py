"""Builds the shipped pair: corpus, tokenizer, main, draft, folders."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING

import torch
from tokenizers import Tokenizer

from resources.starter.recipe.chain_head import EagleHead, EagleShape, MtpHead, MtpShape
from resources.starter.recipe.chain_training import train_chain_head
from resources.starter.recipe.circuits import wire_copying
from resources.starter.recipe.corpus import conversations, given_tools, long_conversations, tool_questions
from resources.starter.recipe.courses import (
    BESIDE_REWORDED,
    BESIDE_TOOLS,
    COURSES,
    DEEPER_COURSES,
    KEPT,
    LIMITS_AND_TOOLS,
    MORE_LIMITS,
    REWORDED,
    REWORDED_OPENINGS,
    SHORT_MESSAGES,
    WHOLE,
    WITH_TOOLS,
)
from resources.starter.recipe.distillation import with_choices
from resources.starter.recipe.export import export_head, export_model, load_head, load_model, write_checksums
from resources.starter.recipe.generation import answered_by
from resources.starter.recipe.head import Head, HeadShape
from resources.starter.recipe.head_training import (
    Read,
    load_read,
    meet_halfway,
    read_by,
    save_read,
    train_head,
)
from resources.starter.recipe.mistakes import harder
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
from resources.starter.recipe.refresh import former_self, refresh
from resources.starter.recipe.rewording import giving, is_of_before, shortened, unsaid_answers, without
from resources.starter.recipe.tokenizer import (
    END_OF_TEXT,
    SPECIAL_TOKENS,
    TURN_END,
    TURN_START,
    VOCABULARY_SIZE,
    train_tokenizer,
    write_tokenizer,
)
from resources.starter.recipe.tools import LIST_MODELS, call, tools_line
from resources.starter.recipe.training import batches, next_token_loss, rates, train

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from resources.starter.recipe.conversations import Conversation
    from resources.starter.recipe.courses import Course
    from resources.starter.recipe.packing import Example
    from resources.starter.recipe.plan import Plan
    from resources.starter.recipe.training import Batch

_TOKENIZER_CONVERSATIONS = 20_000
_TOKENS_PER_STEP = 3072
_LONG_EVERY, _LATE_ROWS = 8, 64
_LONGEST_ODD_PROMPT = SHORT_ROW - 120
# Rows in which the long answer has room.
_WHOLE_ROW = 352
# A draft that follows a main which learned something new begins at this share of the full rate.
_RATE_OF_FOLLOWING = 0.3
# What main gets wrong after a course is found in so many conversations of this seed's distance, of the course and of
# what is kept, and shown it at this share of the full rate.
_MENDING_SEED, _MENDED_NEW, _MENDED_KEPT = 33, 3600, 3200
_RATE_OF_MENDING = 2 / 3
# A conversation is drawn for an answer that changed until there are so many.
_TIMES_REWORDED = 24
# Refreshing a head begins at this share of the full rate.
_RATE_OF_REFRESH = 0.15


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
    export_model(main, tokenizer, target / "main")
    teach(SHORT_MESSAGES, plan, work / "short.pt", target)
    teach(LIMITS_AND_TOOLS, plan, work / "limits.pt", target)
    distil(plan, work, target, LanguageModel(DRAFT), 1.0)
    build_head(plan, work, target)


def refresh_pair(plan: Plan, work: Path, target: Path) -> None:
    """Give target/main the course of limits and tools, and have target/draft follow; write both folders."""
    work.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(plan.seed)
    teach(LIMITS_AND_TOOLS, plan, work / "limits.pt", target)
    distil(plan, work, target, load_model(DRAFT, target / "draft"), _RATE_OF_FOLLOWING)


def teach_more_limits(plan: Plan, work: Path, target: Path) -> None:
    """Give target/main the second course of limits, and have target/draft follow."""
    work.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(plan.seed)
    teach(MORE_LIMITS, plan, work / "more-limits.pt", target)
    distil(plan, work, target, load_model(DRAFT, target / "draft"), _RATE_OF_FOLLOWING)


def teach(course: Course, plan: Plan, checkpoint: Path, target: Path) -> None:
    """Give target/main one more course, beside which it repeats what it knows and says."""
    tokenizer = Tokenizer.from_file(str(target / "main" / "tokenizer.json"))
    main = load_model(MAIN, target / "main")
    new = _rows_of(tokenizer, course, course.conversations)
    known = encode_conversations(tokenizer, conversations(KEPT.seed, KEPT.conversations, KEPT))
    main.eval()
    # Without the tools, main answers their questions as before.
    without = answered_by(main, tokenizer, tool_questions(plan.seed, plan.own_answers))
    kept = pack(chain(without, known), _WHOLE_ROW, tokenizer.token_to_id(END_OF_TEXT))
    main.train()
    former, long = former_self(main), _long_rows(tokenizer, plan)
    refresh(main, former, (new, kept, long), course.steps, plan.seed, checkpoint)
    if course.mending_steps:
        new, kept = (
            _rows_of(tokenizer, replace(one, seed=one.seed + _MENDING_SEED), count)
            for one, count in ((course, _MENDED_NEW), (KEPT, _MENDED_KEPT))
        )
        lessons = (*harder(main, former, new, kept, tokenizer.token_to_id(END_OF_TEXT), plan.seed), long)
        mended = checkpoint.with_stem(f"{checkpoint.stem}-mended")
        refresh(main, former, lessons, course.mending_steps, plan.seed, mended, _RATE_OF_MENDING)
    export_model(main, tokenizer, target / "main")


def teach_with_tools(plan: Plan, work: Path, target: Path) -> None:
    """Teach target/main that only the questions for the tools are answered otherwise where these are given."""
    work.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(plan.seed)
    tokenizer = Tokenizer.from_file(str(target / "main" / "tokenizer.json"))
    main = load_model(MAIN, target / "main").eval()
    new = _rows_of(tokenizer, WITH_TOOLS, WITH_TOOLS.conversations)
    known = given_tools(conversations(BESIDE_TOOLS.seed, BESIDE_TOOLS.conversations, BESIDE_TOOLS))
    examples = chain(_without_tools(main, tokenizer, plan), encode_conversations(tokenizer, known))
    kept = pack(examples, _WHOLE_ROW, tokenizer.token_to_id(END_OF_TEXT))
    lessons = (new, kept, _long_rows(tokenizer, plan))
    line = tokenizer.encode(f"{TURN_START}system\n{tools_line()}{TURN_END}\n").ids
    former = former_self(main)
    rate = WITH_TOOLS.first_rate
    refresh(main.train(), former, lessons, WITH_TOOLS.steps, plan.seed, work / "tools.pt", rate, line)
    export_model(main, tokenizer, target / "main")
    # Both share one chat template.
    write_tokenizer(tokenizer, target / "draft", DRAFT.max_position_embeddings)
    write_checksums(target)


def reword_pair(plan: Plan, work: Path, target: Path) -> None:
    """Teach target/main the answers that it does not say as the texts have them, and have target/draft follow."""
    work.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(plan.seed)
    tokenizer = Tokenizer.from_file(str(target / "main" / "tokenizer.json"))
    main = load_model(MAIN, target / "main").eval()
    unsaid = unsaid_answers(main, tokenizer, plan.seed)
    long = _packed(tokenizer, shortened(unsaid, long_conversations(plan.seed, plan.long_conversations)), LONG_ROW)
    own = [one for one in _without_tools(main, tokenizer, plan) if not is_of_before(one, tokenizer, unsaid)]
    former, lessons = former_self(main), partial(_reworded_and_kept, tokenizer, unsaid, own)
    new, kept = lessons(REWORDED, BESIDE_REWORDED)
    refresh(main.train(), former, (new, kept, long), REWORDED.steps, plan.seed, work / "reworded.pt")
    new, kept = lessons(REWORDED_OPENINGS, replace(BESIDE_REWORDED, conversations=_MENDED_KEPT))
    new, kept = harder(main, former, new, kept, tokenizer.token_to_id(END_OF_TEXT), plan.seed)
    steps, rate, checkpoint = REWORDED_OPENINGS.steps, REWORDED_OPENINGS.first_rate, work / "reworded-openings.pt"
    refresh(main, former, (new, kept, long), steps, plan.seed, checkpoint, rate)
    export_model(main, tokenizer, target / "main")
    distil(plan, work, target, load_model(DRAFT, target / "draft"), _RATE_OF_FOLLOWING)


def _reworded_and_kept(
    tokenizer: Tokenizer, unsaid: Collection[str], own: Iterable[Example], course: Course, beside: Course
) -> tuple[Rows, Rows]:
    """The rows of `course` that give an answer which changed, and those of `beside` that give none, with `own` ones."""
    new = encode_conversations(tokenizer, giving(unsaid, _drawn(course), _TIMES_REWORDED))
    kept = encode_conversations(tokenizer, without(unsaid, _drawn(beside)))
    end = tokenizer.token_to_id(END_OF_TEXT)
    return pack(new, _WHOLE_ROW, end), pack(chain(own, kept), _WHOLE_ROW, end)


def _without_tools(main: LanguageModel, tokenizer: Tokenizer, plan: Plan) -> Iterator[Example]:
    """How main begins its answers to questions for the tools where it is not given them, unless it calls one."""
    mark = tokenizer.encode(call(LIST_MODELS)).ids[0]
    asked = tool_questions(plan.seed + 1, plan.own_answers)
    for ids, answers in answered_by(main, tokenizer, asked, most_tokens=BESIDE_TOOLS.opening[1]):
        if ids[answers.index(True)] != mark:
            yield ids, answers


def _drawn(course: Course) -> Iterator[Conversation]:
    return conversations(course.seed, course.conversations, course)


def _rows_of(tokenizer: Tokenizer, course: Course, count: int) -> Rows:
    return _packed(tokenizer, conversations(course.seed, count, course), _WHOLE_ROW)


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
            short = _packed(tokenizer, _drawn(course), SHORT_ROW)
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


def build_head(plan: Plan, work: Path, target: Path) -> None:
    """Train a DFlash head for target/main and write target/head."""
    _train_head(plan, work, target, goes_on=False)


def refresh_head(plan: Plan, work: Path, target: Path) -> None:
    """Let target/head go on learning what target/main says, and write the mean of what it was and what it became."""
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
    if goes_on:
        meet_halfway(head, load_head(shape, target / "head"))
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
    said = torch.from_numpy(short.tokens[short.answers].astype("int64"))
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
