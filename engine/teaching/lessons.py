"""Lessons: stretches of the main model's own answers, with the tokens that it holds likeliest at each place.

The main model reads each answer once. Only its likeliest tokens are kept, because whole rows of logits would take
thousands of times the memory. Lessons stay in memory: no file of a teaching holds anything of a chat.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mlx.core as mx
import numpy as np
import numpy.typing as npt

from engine.errors import CannotTeach, EngineError
from engine.files.steps import Steps
from engine.main_model.loaded_model import LoadedModel
from engine.requests import OwnAnswer, digests_in

log = logging.getLogger(__name__)

# Tokens kept at each place. More have hardly any probability, so that a drafter is hardly asked for them.
CANDIDATES = 16
# Tokens of a lesson.
LESSON_TOKENS = 512
# Tokens at the end of a lesson that are taught. Each has as many before it, unless the text is short.
TAUGHT_TOKENS = 256
# Tokens that the main model reads at once: a request waits for one such pass at most.
PASS = 256
# Longer conversations take more memory and time than they teach.
MOST_CONVERSATION_TOKENS = 4096
# One chat in this many is held out to judge by.
HELD_OUT_EVERY = 5
# The fewest places to teach.
LEAST_TAUGHT_PLACES = 1500
# The fewest places to judge by: 66% and 78% cannot be confused, as the standard error is below 3 points.
LEAST_JUDGED_PLACES = 300


@dataclass(frozen=True, slots=True)
class Lesson:
    """A stretch of text whose last places are taught.

    `ids` are its tokens. Row i of `likeliest` and `chances`, (places, CANDIDATES), has the main model's likeliest
    tokens after ids[: start + i + 1], the first one first, and their probabilities.
    """

    ids: tuple[int, ...]
    start: int
    likeliest: npt.NDArray[np.uint32]
    chances: npt.NDArray[np.float32]

    @property
    def places(self) -> int:
        return len(self.likeliest)


def read_lessons(
    main: LoadedModel, answers: Sequence[OwnAnswer], rows: int, on_progress: Callable[[int, int], object]
) -> Steps[tuple[list[Lesson], list[Lesson]]]:
    """Return the lessons to teach and those to judge by; the main model reads and gives answers, a pass a step.

    `rows` are the ids that the drafter knows. `on_progress` gets the tokens of answers read and in total. Raises
    `CannotTeach`.
    """
    lessons: dict[bool, list[Lesson]] = {True: [], False: []}
    done = 0
    total = sum(answer.tokens for answer in answers)
    for answer in answers:
        on_progress(done, total)
        lessons[is_held_out(answer.chat)] += yield from read_answer(main, answer, min(rows, main.vocabulary))
        done += answer.tokens
    taught, judged = (sum(lesson.places for lesson in lessons[held_out]) for held_out in (False, True))
    if taught < LEAST_TAUGHT_PLACES or judged < LEAST_JUDGED_PLACES:
        share = min(taught / LEAST_TAUGHT_PLACES, judged / LEAST_JUDGED_PLACES)
        raise CannotTeach("too-little", f"{int(100 * share)}%")
    return lessons[False], lessons[True]


def is_held_out(chat: str) -> bool:
    """Whether a chat is one to judge by. It stays one, so that no later teaching is judged by what was taught."""
    return hashlib.sha256(chat.encode()).digest()[0] * HELD_OUT_EVERY < 256


def read_answer(main: LoadedModel, answer: OwnAnswer, rows: int) -> Steps[list[Lesson]]:
    """Return the lessons of an answer; none if its conversation cannot be read, is too long or has pictures.

    A question without an answer is answered with the likeliest tokens. Nothing else gets to know that answer.
    """
    if digests_in(answer.messages):
        return []
    try:
        prompt = yield from main.prompt_in_steps(answer.messages)
    except EngineError as error:
        log.info("an answer is not taught: %s", type(error).__name__)
        return []
    end = min(len(prompt) + answer.tokens, MOST_CONVERSATION_TOKENS, main.info.context_length)
    ids = [*prompt, *answer.ids][:end]
    first = len(prompt) - 1
    # An id of another model's tokenizer, or one that was damaged, would be read beyond the end of a table.
    if first < 0 or first + 1 >= end or not all(0 <= token < rows for token in ids):
        return []
    caches = main.new_caches()
    likeliest = []
    chances = []
    start = 0
    while start < len(ids):
        logits = main.model(mx.array([ids[start : start + PASS]], mx.uint32), cache=caches)
        if start + logits.shape[1] > first:
            tokens, probabilities = _likeliest(logits[0, max(0, first - start) :, :rows])
            likeliest.append(tokens)
            chances.append(probabilities)
        else:
            mx.eval(logits)
        start += logits.shape[1]
        if not answer.ids and first < start < end and (token := int(likeliest[-1][-1, 0])) not in main.end_tokens:
            ids.append(token)
        yield None
    return _windows(ids, first, np.concatenate(likeliest), np.concatenate(chances))


def _likeliest(logits: mx.array) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.float32]]:
    """Return the likeliest ids of each row and their probabilities, both (rows, CANDIDATES), the likeliest first."""
    scores = logits.astype(mx.float32)
    scores = scores - mx.logsumexp(scores, axis=-1, keepdims=True)
    count = min(CANDIDATES, scores.shape[-1])
    ids = mx.argpartition(-scores, count - 1, axis=-1)[:, :count]
    log_chances = mx.take_along_axis(scores, ids, axis=-1)
    order = mx.argsort(-log_chances, axis=-1)
    ids = mx.take_along_axis(ids, order, axis=-1)
    log_chances = mx.take_along_axis(log_chances, order, axis=-1)
    return np.array(ids), np.array(mx.exp(log_chances))


def _windows(
    ids: Sequence[int], first: int, likeliest: npt.NDArray[np.uint32], chances: npt.NDArray[np.float32]
) -> list[Lesson]:
    """Cut an answer, whose places begin at `first`, into lessons."""
    lessons = []
    for place in range(first, len(ids), TAUGHT_TOKENS):
        end = min(place + TAUGHT_TOKENS, len(ids))
        begin = max(0, end - LESSON_TOKENS)
        rows = slice(place - first, end - first)
        lessons.append(Lesson(tuple(ids[begin:end]), place - begin, likeliest[rows], chances[rows]))
    return lessons
