"""A head as a student: it drafts along a lesson as in rounds, and each of its draws gives the text's own token.

So all kinds of heads are taught and judged in one way, with the depths at which they draft. The main model reads each
lesson again, because its tapped outputs for all lessons would take gigabytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

from engine.heads.chain_head import ChainHead
from engine.heads.fit import GROWTH
from engine.heads.head import Draw
from engine.main_model.loaded_model import LoadedModel
from engine.speculation.drafters.sources import HeadSource
from engine.teaching.lessons import LESSON_TOKENS, TAUGHT_TOKENS, Lesson
from engine.teaching.training import Batch, with_targets

# Tokens between two proposals: rounds with a head gain about as many.
APART = 8


@dataclass(frozen=True, slots=True)
class _LessonText:
    """A lesson's tokens, the tapped outputs for them, and where proposals begin: (anchor, count)."""

    ids: list[int]
    taps: mx.array
    proposals: list[tuple[int, int]]


class HeadStudent:
    """A head, which is asked for the tokens after some places of a text."""

    def __init__(self, source: HeadSource, main: LoadedModel) -> None:
        self._head = source.head
        self._taps = source.taps
        self._main = main
        self.network = source.head.network
        self.rows = main.rows or main.vocabulary
        self.passes = 1 + -(-(source.max_proposals + 1) // APART)
        config = self._head.config
        steps = source.max_proposals if isinstance(self._head, ChainHead) else 1
        # Every step of a proposal writes to a copy of the caches, which have some free rows.
        self.attended = TAUGHT_TOKENS // APART * steps * (LESSON_TOKENS + GROWTH) * sum(config.row_elements)

    def batch_of(self, lessons: Sequence[Lesson]) -> Batch:
        """Let the main model read the lessons for the head."""
        texts = []
        places = []
        for lesson in lessons:
            proposals = _proposals(lesson, self._head.max_proposals)
            with self._taps.record() as outputs:
                self._main.model(mx.array([lesson.ids], mx.uint32), cache=self._main.new_caches())
            taps = mx.concatenate(outputs, axis=-1)
            mx.eval(taps)
            # Nothing follows the last token, but a proposal may end with a draw.
            texts.append(_LessonText([*lesson.ids, 0], taps, proposals))
            places += [(lesson, at - lesson.start + depth, depth) for at, count in proposals for depth in range(count)]
        return with_targets(texts, places)

    def logits(self, inputs: Any) -> mx.array:
        """Return the logits, float32 (places, V), of all proposals, in the order of the batch's places.

        `inputs` are lessons with their tapped outputs (1, n, taps * width). Tokens outside the head's vocabulary have
        -inf.
        """
        return mx.concatenate([logits for text in inputs for logits in self._read(text)])

    def _read(self, text: _LessonText) -> list[mx.array]:
        """Return the logits of each proposal along a text."""
        context = self._head.new_context()
        read = []
        for anchor, count in text.proposals:
            rows = slice(context.length, anchor)
            self._head.extend(context, text.taps[:, rows], text.ids[rows])
            wanted = mx.array(text.ids[anchor : anchor + count + 1], mx.int32)
            made = self._head.propose(context, wanted[:1], count, _told(wanted[1:]))
            scores = made.scores.astype(mx.float32)
            if made.ids is not None:
                scores = mx.put_along_axis(mx.full((len(scores), self.rows), -mx.inf), made.ids, scores, axis=-1)
            read.append(scores)
        return read


def _told(tokens: mx.array) -> Draw:
    """Return a draw that gives `tokens`."""
    return lambda first, scores, _ids: tokens[first : first + len(scores)]


def _proposals(lesson: Lesson, most: int) -> list[tuple[int, int]]:
    """Return the anchors of proposals and their lengths, at most `most`.

    A proposal ends with the lesson, and where the text leaves the main model's likeliest tokens: no round gets further.
    """
    likeliest = lesson.likeliest[:, 0].tolist()
    follows = [*lesson.ids[lesson.start + 1 :], None]
    # A head that has read nothing cannot draft.
    proposals = []
    row = max(0, 1 - lesson.start)
    while row < lesson.places:
        end = row + 1
        while end < min(row + most, lesson.places) and likeliest[end - 1] == follows[end - 1]:
            end += 1
        proposals.append((lesson.start + row, end - row))
        row = min(end, row + APART)
    return proposals
