"""Conversations: one text in the caches of the main model and of its drafter."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import mlx.core as mx

from engine.errors import is_device_failure
from engine.heads.head import Head
from engine.main_model.loaded_model import LoadedModel
from engine.speculation.drafters.head_session import HeadSession
from engine.speculation.rounds.sequence import CachedSequence
from engine.speculation.rounds.taps import Taps
from engine.tokenizers.prompts import shared_prefix

log = logging.getLogger(__name__)


@dataclass(eq=False)
class CachedConversation:
    """The sequences of both models for one text; `draft` and `head` are None until a draft model or a head is used.

    `name` is the caller's name of the conversation; without one it is never written to disk. Others begin with a
    `shared` one. Without a name it serves the requests of one `caller`, and for its first `opening` tokens, the system
    message, the requests of other callers.
    """

    main: CachedSequence
    draft: CachedSequence | None = None
    name: str | None = None
    head: HeadSession | None = None
    shared: bool = False
    caller: str = ""
    opening: int = 0

    @property
    def audience(self) -> str | None:
        """The caller whose requests this serves; None for a conversation with a name, which serves those with one."""
        return self.caller if self.name is None else None

    @property
    def bytes(self) -> int:
        return sum(known.bytes for known in (self.main, self.draft, self.head) if known is not None)

    def arrays(self) -> list[mx.array]:
        """Every array that models and head keep, in the shapes (...) of their caches."""
        arrays = [array for known in (self.main, self.draft) if known is not None for array in known.kept_arrays()]
        return arrays if self.head is None else arrays + self.head.arrays()

    def rewind(self, length: int) -> None:
        """Go back to the first `length` tokens; the main model's caches must be able to."""
        self.main.rewind(length)
        if self.head is not None:
            self.head.rewind(length)
            may_reread = length > 1 and not self.main.row_rules.strict
            if not self.head.ready and may_reread and self.main.unread(length - 1):
                # The main model reads one token again, which gives the head the state that it lacks.
                self.head.rewind(length - 1)

    def keep_for_others(self, length: int) -> None:
        """Go back to the first `length` tokens, which another caller may share, in the drafter's caches, too.

        Else that caller's draft model would read less after a right guess of what follows, which times tell. One with
        ids of its own reads all again.
        """
        opening = self.main.tokens[:length]
        self.main.rewind(length)
        if self.head is not None:
            self._keep_head_for_others(self.head, length)
        draft = self.draft
        if draft is not None and not (draft.tokens[:length] == opening and draft.rewind(length)):
            self.draft = None

    def _keep_head_for_others(self, head: HeadSession, length: int) -> None:
        """Leave the head only rows that depend on nothing but the first `length` tokens, at which the main model is.

        The last rows of some heads were made with the tokens after them, and another caller's draft tokens would depend
        on whether that caller asks the same. For example, an EAGLE-3 head pairs the state of the last of 20 tokens with
        the 21st. So the main model reads that token again, and where its caches cannot go back to it, the head starts
        without rows.
        """
        head.rewind(length)
        tokens_ahead = head.head.tokens_ahead
        rows = max(tokens_ahead, int(not head.ready))
        if rows and rows < length and not self.main.row_rules.strict and self.main.unread(length - rows):
            head.rewind(length - rows)
        elif tokens_ahead:
            self.head = None

    def attach_head(self, head: Head, taps: Taps) -> HeadSession:
        """Let `head` follow the main model from now on, starting where it knows the text."""
        if self.head is None or self.head.head.identity != head.identity:
            self.head = HeadSession(head, taps)
        # It may have another output matrix now.
        self.head.head = head
        self.head.positions = self.main.positions
        if self.head.length < self.main.position:
            self.head.restart(self.main.position)
        self.main.listener = self.head
        return self.head

    @property
    def rows_of_head(self) -> int:
        """How many rows before the answer the head will know: those that it has, and those that are still pending."""
        start = self.main.position if self.head is None else min(self.head.start, self.main.position)
        return max(0, len(self.main.tokens) - 1 - start)

    def read_again(self, rows: int) -> None:
        """Let the head begin `rows` rows earlier: the main model reads the tokens from there on again.

        They become pending. Does nothing if the caches cannot go back so far. Pictures are not read again.
        """
        if self.head is None or not rows:
            return
        main = self.main
        first = min(self.head.start, main.position)
        pictures_end = max((picture.stop for picture in main.pictures if picture.start < main.position), default=1)
        start = max(first - rows, pictures_end)
        if start < first and main.unread(start):
            self.head.restart(start)

    def drop_drafter(self) -> None:
        """Drop the caches of a draft model or a head."""
        self.draft = self.head = self.main.listener = None

    def finish_work(self) -> None:
        """Finish all lazy work once no request uses the caches. Raises any exception of the evaluation."""
        pending = len(self.main.pending)
        rule = self.main.rule_of(pending)
        # More are pending if the prompt was not read to its end.
        if rule.strict and self.main.intact and 0 < pending <= rule.most:
            # The caches must not depend on the rounds in which these were drawn.
            self.main.verify()
            self.main.commit(0, [])
        self.main.listener = self.main.reader = None
        try:
            if self.head is not None:
                # The caches may be fed some rows again; the head must not know those yet.
                self.head.rewind(self.main.position)
                self.head.read_all()
        except Exception as error:
            if is_device_failure(error):
                raise
            log.warning("what a head has read is lost", exc_info=error)
            self.head = None
        for sequence in (self.main, self.draft):
            if sequence is not None:
                sequence.compact()
        # A pass that was rolled back may still be under way. If it fails, this must not be kept.
        mx.eval(self.arrays())
        # Metal can report a pass that failed at the next evaluation only.
        mx.synchronize()
        mx.eval(mx.zeros(1))

    def fork(self) -> CachedConversation | None:
        """Return a copy without a name, or None if the main model's caches cannot be copied."""
        main = self.main.fork()
        if main is None:
            return None
        draft = self.draft.fork() if self.draft is not None else None
        return CachedConversation(main, draft, head=self.head.copy() if self.head is not None else None)


def continue_on(sequence: CachedSequence | None, model: LoadedModel, tokens: Sequence[int]) -> CachedSequence:
    """Return `sequence` set to `tokens`, its caches cut back to the shared prefix; a new one if nothing is shared."""
    reach = 0 if sequence is None else usable_prefix(sequence, tokens)
    if sequence is None or reach == 0:
        sequence = CachedSequence(model.model, model.new_caches())
    else:
        sequence.rewind(reach)
    sequence.tokens = list(tokens)
    return sequence


def usable_prefix(sequence: CachedSequence, content: Sequence[int]) -> int:
    """Return how many tokens of a text the caches hold and need not be fed; the last one is always pending.

    `content` are the tokens, with pictures as in `CachedSequence.content`.
    """
    cached = sequence.content[: sequence.position]
    return sequence.reach(shared_prefix(cached, content[: len(content) - 1]))
