"""Sequences: a model's caches of one text, and the committed tokens that they do not hold yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx

from engine.pictures.placed import PassInput, PlacedPicture, content_of, within
from engine.pictures.positions import Positions
from engine.pictures.vision_tower import RequestPictures
from engine.requests import MAX_DEPTH
from engine.speculation.caches.cache_kinds import check_widths
from engine.speculation.caches.rollback import Checkpoint, PlainOnly, Rollback, UnknownCacheKind
from engine.speculation.caches.shared_caches import SharedCaches, copied, open_rollback
from engine.speculation.rounds.compiled_steps import MAX_COMPILED_ROWS, CompiledSteps
from engine.speculation.rounds.passes import model_pass
from engine.speculation.rounds.rope_positions import rope_positions
from engine.speculation.rounds.row_rule import UNKNOWN, RowRule, RowRules
from engine.speculation.rounds.taps import HiddenStateListener

# The most tokens of one pass of prefill, or of a draft model's catch-up.
PREFILL_CHUNK = 512

# The most checkpoints of recurrent layers and windows that a sequence keeps, in addition to one for each
# CHECKPOINT_SPACING.
MAX_CHECKPOINTS = 6
# The most tokens between two places of a long prompt at which a later conversation can branch off.
CHECKPOINT_SPACING = 8192


class CachedSequence:
    """One model's state of one text.

    `tokens` are all committed tokens, prompt included; the caches hold the first `position` of them; the rest is
    `pending` and forms the first rows of the next forward pass. After a rejection that only a restore can undo,
    `position` does not change and `pending` grows by the accepted tokens.

    Decoding leaves at least the last token pending. A pipelined plain step may feed a token that the host has not read
    yet: commit(0, []) closes the step before with nothing pending, verify(token) feeds the lazy token as the only row,
    and once it is known commit(1, [token]) keeps it, or abort() and append([token]) leave it pending.

    `row_rules` are set by the answer that decodes.

    If a pass cannot be rolled back, `plain_only` names the kind of cache that prevents it, and the sequence decodes
    plainly: verify takes no draft tokens, and after an abort (an exception in a pass, say) it is not `intact`.
    """

    def __init__(self, model: Any, caches: Sequence[Any]) -> None:
        self.model = model
        self.caches = caches
        self.plain_only: str | None = None
        self.rollback: Rollback | PlainOnly
        try:
            check_widths(model, caches)
            self.rollback = open_rollback(caches)
        except UnknownCacheKind as error:
            self.rollback = PlainOnly(caches)
            self.plain_only = error.kind
        self.tokens: list[int] = []
        self.position = 0
        # Compiled narrow passes, set by the model's owner if the model allows them.
        self.steps: CompiledSteps | None = None
        self.row_rules = RowRules()
        # The rule of the latest pass.
        self.rule = UNKNOWN
        # Ids from this one on are fed as id 0: a draft model may lack ids of the main one, and an embedding lookup past
        # its last row reads foreign memory.
        self.vocabulary_limit: int | None = None
        # Positions at which turns end, ascending: a later conversation may share the text up to one of them.
        self.boundaries: tuple[int, ...] = ()
        # The pictures in `tokens`, in their order, and what reads them while a request uses the sequence.
        self.pictures: tuple[PlacedPicture, ...] = ()
        self.reader: RequestPictures | None = None
        # The positions of the tokens, where pictures in the text make them differ from indices.
        self.positions: Positions | None = None
        # Ascending by position. Those beyond MAX_CHECKPOINTS may take `checkpoint_bytes`.
        self.checkpoints: list[Checkpoint] = []
        self.checkpoint_bytes = 0
        # Receives the tapped outputs of all kept rows.
        self.listener: HiddenStateListener | None = None
        # Receives the position and the lazy logits (rows, V) of each prefill pass that is over.
        self.on_logits: Callable[[int, mx.array], object] | None = None
        self._logits: mx.array | None = None
        self._outputs: list[mx.array] = []
        # In the open transaction: how many of its rows were pending, and how many are draft tokens.
        self._pending_rows = self._draft_rows = 0

    @property
    def intact(self) -> bool:
        """False if the contents of the caches are unknown, so that the sequence must not be used again."""
        return self.rollback.intact

    @property
    def next_rule(self) -> RowRule:
        """The rule for the next round, and for the pass after it, which may feed the accepted rows again."""
        return self.row_rules.at(self.position + 1, len(self.tokens) + 2 * (MAX_DEPTH + 1))

    def rule_of(self, rows: int) -> RowRule:
        """Return the rule for a pass that feeds `rows` rows now."""
        return self.row_rules.at(self.position + 1, self.position + rows)

    @property
    def pending(self) -> list[int]:
        """The committed tokens that the caches do not hold."""
        return self.tokens[self.position :]

    @property
    def content(self) -> Sequence[int]:
        """The tokens, and the digests of the pictures among them; two texts share what they have in common here."""
        return content_of(self.tokens, self.pictures)

    def append(self, tokens: Sequence[int]) -> None:
        """Commit `tokens` without a forward pass, a prompt for example."""
        self.tokens.extend(tokens)

    def verify(self, draft_tokens: mx.array | Sequence[int] = ()) -> mx.array:
        """Begin a transaction and run one forward pass over pending + draft_tokens.

        `draft_tokens` are k token ids, possibly a lazy array of shape (k,). Returns lazy logits of shape (k + 1, V):
        row i predicts the token after draft_tokens[:i], row 0 the one after the last pending token. With nothing
        pending the rows start after the first draft token: (k, V). If the pass raises, the transaction is aborted and
        the caches are as before. Sets `rule`, the rule of this pass.

        With pending [3, 8] and draft_tokens [5, 9, 2], the pass feeds [3, 8, 5, 9, 2] and returns the logits (4, V)
        after 8, 5, 9 and 2.
        """
        pending = self.pending
        rows = self._as_row(pending, draft_tokens)
        count = rows.shape[1]
        self.rule = self.rule_of(count)
        self.rollback.begin(count)
        self._pending_rows = len(pending)
        self._draft_rows = count - len(pending)
        try:
            logits = self._pass(rows)
        except BaseException:
            self.abort()
            raise
        first = max(0, len(pending) - 1)
        return logits[0, first:] if first else logits[0]

    def open_drafts(self, count: int) -> None:
        """Begin a transaction over `count` tokens that `draft` will feed one by one; nothing may be pending.

        If it feeds fewer, `close_drafts` says so before the transaction ends.
        """
        self.rollback.begin(count)
        self._pending_rows = 0
        self._draft_rows = count

    def draft(self, token: mx.array) -> mx.array:
        """Feed one draft token, a lazy array of shape (1,), after `open_drafts`; returns lazy logits (1, V)."""
        return self._pass(token[None])[0]

    def close_drafts(self, fed: int) -> None:
        """Say that drafting ended early: `draft` has fed only `fed` tokens since `open_drafts`."""
        self.rollback.shorten(fed)
        self._draft_rows = fed

    def commit(self, accepted: int, new_tokens: Sequence[int]) -> None:
        """End the transaction: keep pending and the first `accepted` draft tokens; append `new_tokens` to `tokens`.

        `new_tokens` are the accepted draft tokens and the bonus token, possibly cut short by a stop: no draft token
        after the cut is kept. After a rejection that only a restore can undo, the caches keep none of these rows:
        `position` stays, and all these tokens are pending. Reports the kept rows to the `listener`. Raises
        `TransactionError` if no transaction is open.
        """
        keep = self._pending_rows + min(accepted, len(new_tokens), self._draft_rows)
        start = self.position
        self.position += self.rollback.commit(keep)
        self.tokens.extend(new_tokens)
        if self._outputs:
            # Also if the caches were restored: the rows are right, and come again with the next pass.
            self._report(start, keep)

    def keep(self, accepted: int, new_tokens: Sequence[int]) -> None:
        """Follow a round that committed `new_tokens`: `commit` them if a transaction is open, else `append` them."""
        if self.rollback.active:
            self.commit(accepted, new_tokens)
        else:
            self.append(new_tokens)

    def abandon(self) -> None:
        """Undo the open transaction, if there is one; see `abort`."""
        if self.rollback.active:
            self.abort()

    def remember(self) -> None:
        """Take a checkpoint for `rewind` at the present position, if the caches cannot be cut; drops excess ones."""
        if self.needs_boundaries and isinstance(self.rollback, Rollback):
            if not any(checkpoint.position == self.position for checkpoint in self.checkpoints):
                self.checkpoints.append(self.rollback.remember(self.position))
            bytes_each = max(1, sum(array.nbytes for array in self.checkpoints[-1].arrays()))
            affordable = self.checkpoint_bytes // bytes_each
            self.thin(MAX_CHECKPOINTS + min(self.position // CHECKPOINT_SPACING, affordable))

    def thin(self, most: int, newest: int = 3) -> None:
        """Drop checkpoints until at most `most` remain, those close to their neighbours first.

        The `newest` stay, of which there is at least one, and the first that is at no multiple of CHECKPOINT_SPACING:
        there a turn ends, or another text parts from this one, so other conversations share the text before it. So more
        than `most` may remain.
        """
        shared = next((point for point in self.checkpoints if point.position % CHECKPOINT_SPACING), None)
        while len(self.checkpoints) > max(most, newest + 1):
            places = [0, *(point.position for point in self.checkpoints)]
            old = [index for index, point in enumerate(self.checkpoints[:-newest]) if point is not shared]
            del self.checkpoints[min(old, key=lambda index: places[index + 2] - places[index])]

    def reach(self, length: int) -> int:
        """Return how many of the first `length` tokens the caches can still hold after `rewind(length)`."""
        if length >= self.position or self.rollback.can_rewind(length):
            return min(length, self.position)
        return max((point.position for point in self.checkpoints if point.position <= length), default=0)

    def rewind(self, length: int) -> bool:
        """Drop all but the first `length` tokens; those behind `reach(length)` become pending again.

        Returns False, with nothing changed, if that would leave the caches empty.
        """
        if length < self.position:
            reach = self.reach(length)
            if reach == 0:
                return False
            if reach == length and self.rollback.can_rewind(length):
                self.rollback.rewind(length)
            else:
                assert isinstance(self.rollback, Rollback)
                self.rollback.recall(next(point for point in self.checkpoints if point.position == reach))
            self.position = reach
            self.checkpoints = [point for point in self.checkpoints if point.position <= reach]
        del self.tokens[length:]
        self.pictures = within(self.pictures, 0, length)
        return True

    def unread(self, length: int) -> bool:
        """Make all but the first `length` tokens pending again; False, with nothing changed, if impossible."""
        if length > self.position or not self.rollback.rewind(length):
            return False
        self.position = length
        self.checkpoints = [point for point in self.checkpoints if point.position <= length]
        return True

    def fork(self) -> CachedSequence | None:
        """Return a copy that shares arrays until one of the two writes; None if the caches cannot be copied."""
        if not isinstance(self.rollback, Rollback) or self.rollback.active or not self.intact:
            return None
        twin = CachedSequence(self.model, copied(self.caches))
        twin.tokens = list(self.tokens)
        twin.position = self.position
        twin.boundaries = self.boundaries
        twin.checkpoints = list(self.checkpoints)
        twin.pictures = self.pictures
        twin.positions = self.positions
        return twin

    def take_caches(self) -> Sequence[Any]:
        """Give the caches to a batch, which feeds the tokens from now on; `set_caches` takes them back."""
        caches = self.caches
        self.caches = []
        self.rollback = PlainOnly(())
        return caches

    def set_caches(self, caches: Sequence[Any], tokens: Sequence[int], position: int) -> None:
        """Continue with `caches` written elsewhere, which hold the first `position` of `tokens`.

        Raises `CachesOutOfStep` if they are at another position.
        """
        self.caches = caches
        self.rollback = open_rollback(caches) if self.plain_only is None else PlainOnly(caches)
        self.rollback.check(position)
        self.tokens[:] = tokens
        self.position = position

    def compact(self) -> None:
        """Let the caches take no more memory than their rows need, before they are kept."""
        if isinstance(self.rollback, Rollback) and not isinstance(self.caches, SharedCaches):
            self.rollback.compact()

    def abort(self) -> None:
        """Undo the open transaction: caches, `tokens` and `position` are as before verify."""
        self._outputs = []
        self._logits = None
        self.rollback.abort()

    def prefill(self, most: int) -> int:
        """Feed at most `most` tokens of pending[:-1] in one pass, and wait for it; returns how many it fed.

        A pass ends at the next of `boundaries`, where a checkpoint is taken. If it raises, the caches keep what was
        prefilled before it.
        """
        rows = self.begin_prefill(most)
        if rows:
            self.end_prefill(rows)
        return rows

    def begin_prefill(self, most: int) -> int:
        """Begin a pass as in `prefill`, without evaluating it.

        Returns the number of rows for `end_prefill`, which has to follow, or `abort`; 0 if there is nothing to feed.
        """
        rows = self.rows_to_prefill(most)
        if rows:
            start = self.position
            stop = self.position + rows
            pictures = within(self.pictures, start, stop) if self.reader is not None else ()
            row = self._as_row(self.tokens[start:stop], ())
            self.rollback.begin(rows)
            try:
                seen = None
                if self.reader is not None and pictures:
                    seen = self.reader.pass_input(self.tokens, start, stop, pictures)
                logits = self._run(row, seen=seen)
                self._logits = logits[0] if self.on_logits is not None else None
            except BaseException:
                self.abort()
                raise
        return rows

    def end_prefill(self, rows: int) -> None:
        """Evaluate the pass of `rows` rows that was begun, and keep it; aborts it if the evaluation raises.

        Reports the rows to the `listener` and `on_logits`, frees MLX's cached buffers, and takes a checkpoint at a
        boundary.
        """
        try:
            # The last layer's output is no part of the caches.
            mx.eval(self.arrays(), self._outputs)
        except BaseException:
            self.abort()
            raise
        start = self.position
        self.position += self.rollback.commit(rows)
        self._report(start, rows)
        if self.on_logits is not None and self._logits is not None:
            logits, self._logits = self._logits, None
            self.on_logits(start, logits)
        mx.clear_cache()
        self._remember_boundary()

    def rows_to_prefill(self, most: int) -> int:
        """Return how many tokens `prefill(most)` feeds.

        These may be more than `most` where the pass begins inside of a picture that is read in both directions, since
        such a picture is not divided; otherwise the pass ends before it.
        """
        end = min([self.position + most, len(self.tokens) - 1, *self._stops_ahead()])
        if self.reader is not None and self.reader.bidirectional:
            cut = next((picture for picture in self.pictures if picture.start < end < picture.stop), None)
            if cut is not None:
                end = cut.start if cut.start > self.position else cut.stop
        return max(0, end - self.position)

    def picture_to_read(self, most: int) -> PlacedPicture | None:
        """Return a picture whose embedding `prefill(most)` needs and the reader does not have yet."""
        if self.reader is None:
            return None
        needed = within(self.pictures, self.position, self.position + self.rows_to_prefill(most))
        return next((picture for picture in needed if not self.reader.has_read(picture)), None)

    @property
    def pictures_ahead(self) -> bool:
        """Whether pictures are still to be prefilled."""
        return self.reader is not None and bool(within(self.pictures, self.position, len(self.tokens)))

    def prefilled_elsewhere(self, rows: int, outputs: Sequence[mx.array]) -> None:
        """Follow, as `prefill` does, `rows` tokens that a batch has read.

        `outputs` are their tapped outputs, (1, rows, width) for each tap.
        """
        self._outputs = list(outputs)
        self._report(self.position - rows, rows)
        self._remember_boundary()

    @property
    def must_prefill(self) -> bool:
        """Whether the pending tokens must go through `prefill`, because a boundary lies in them."""
        return self.needs_boundaries and bool(self._stops_ahead())

    @property
    def needs_boundaries(self) -> bool:
        """Whether the caches can go back to checkpoints only."""
        return isinstance(self.rollback, Rollback) and not self.rollback.cuts_anywhere

    def clamp_ids(self, tokens: Sequence[int]) -> Sequence[int]:
        """Return `tokens` with 0 in place of each id from `vocabulary_limit` on."""
        limit = self.vocabulary_limit
        if limit is None:
            return tokens
        return [token if token < limit else 0 for token in tokens]

    def _as_row(self, tokens: Sequence[int], draft_tokens: mx.array | Sequence[int]) -> mx.array:
        """Return token ids of shape (1, rows) for a forward pass."""
        tokens = self.clamp_ids(tokens)
        if not isinstance(draft_tokens, mx.array):
            return mx.array([[*tokens, *draft_tokens]], mx.uint32)
        if not tokens:
            return draft_tokens.astype(mx.uint32)[None]
        return mx.concatenate([mx.array([*tokens], mx.uint32), draft_tokens.astype(mx.uint32)])[None]

    def _pass(self, rows: mx.array) -> mx.array:
        if (
            self.steps is not None
            and self.listener is None
            and rows.shape[1] <= MAX_COMPILED_ROWS
            and self.position > 0
        ):
            return self.steps(rows, self.caches)
        # Machines that share a pass all launch it in one piece.
        return self._run(rows, in_parts=not isinstance(self.caches, SharedCaches))

    def _run(self, rows: mx.array, *, in_parts: bool = False, seen: PassInput | None = None) -> mx.array:
        """Run the model over `rows` (1, rows); stores the listener's tapped outputs in `_outputs`."""
        taps = None if self.listener is None else self.listener.taps
        with rope_positions(self.model, self.positions):
            logits, self._outputs = model_pass(self.model, rows, self.caches, taps, in_parts=in_parts, seen=seen)
        return logits

    def _report(self, start: int, rows: int) -> None:
        """Give the listener the first `rows` rows of the latest pass, which began at position `start`."""
        outputs = self._outputs
        self._outputs = []
        if self.listener is not None and outputs and rows:
            self.listener.read(start, outputs, self.tokens[start : start + rows])

    def _remember_boundary(self) -> None:
        if self.position in self.boundaries:
            self.remember()

    def _stops_ahead(self) -> list[int]:
        return [stop for stop in self.boundaries if self.position < stop < len(self.tokens)]

    def arrays(self) -> list[mx.array]:
        """Return every array of the caches, of any shape (...), to be evaluated together with a round's result."""
        return self.rollback.arrays()

    def kept_arrays(self) -> list[mx.array]:
        """Return every array, of any shape (...), of the caches and of the checkpoints."""
        return [*self.arrays(), *(array for checkpoint in self.checkpoints for array in checkpoint.arrays())]

    @property
    def bytes(self) -> int:
        """Memory of the caches and of the checkpoints."""
        return sum(array.nbytes for array in self.kept_arrays())
