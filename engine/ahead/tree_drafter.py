"""Drafts for a round, and, while the main model verifies it, for the round's likely outcomes.

`TreeDrafter` is the draft runner without its connection: it takes messages and works in steps of one pass each, so that
an outcome never waits for more than one pass.

Speculative speculative decoding (Kumar, Dao, May, arXiv:2603.03251): an outcome is (accepted length, recovery token).
As in the paper, several recovery tokens are prepared for at each length; they are the draft model's likeliest, with the
noise of the main model's draw, which the drafter knows. The paper gives likelier lengths more tokens; here `deepening`
lets the branches of likelier outcomes reach the full depth first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import cast

import mlx.core as mx
import mlx.nn as nn

from engine.ahead.branches import BranchPasses, Tree
from engine.ahead.deepening import LEAST_GAIN, PassCosts, branches_to_deepen, cut_chances
from engine.ahead.messages import (
    FIRST_ACCEPTANCE,
    MOST_RECOVERY,
    Begin,
    DraftReply,
    PreparedBranch,
    PreparedTree,
    RoundOutcome,
)
from engine.ahead.tree_cache import BranchKey, TreeCache
from engine.main_model.sampling import Sampler

# The most tokens of a catch-up pass.
CHUNK = 256

# The work for an outcome: between two of its values it runs one pass.
DraftingSteps = Iterator[None]


class TreeDrafter:
    """Drafts with `model` for one answer at a time.

    Call `begin`, `take` and `end` for messages, and `step` while `busy`. `rows` is the number of ids that the model has
    embeddings for, None if that is unknown: later ids are fed as 0, because MLX reads foreign memory for them. Raises
    `NoBranches` for a model that it cannot use. Not thread-safe.
    """

    def __init__(self, model: nn.Module, rows: int | None = None) -> None:
        self._passes = BranchPasses(model)
        self._rows = rows
        self._conversation: int | None = None
        self._sampler: Sampler | None = None
        # As in `Begin`.
        self._recovery_tokens = MOST_RECOVERY
        self._text: list[int] = []
        # The tokens in the caches: the text, then draft tokens.
        self._cached: list[int] = []
        # The logits, (1, V) each, and the noise, (1, vocabulary) each, by the position that they are for.
        self._logits: dict[int, mx.array] = {}
        self._noise: dict[int, mx.array] = {}
        self._cache = TreeCache()
        self._costs = PassCosts()
        # The rates of the latest outcome.
        self._acceptance: Sequence[float] = FIRST_ACCEPTANCE
        self._plan: DraftingSteps = iter(())
        self._has_grown = False
        self.busy = False

    def begin(self, message: Begin) -> None:
        """Begin an answer. The caches keep the tokens that its text shares with the last one, as far as they may."""
        self._conversation = message.conversation
        # The seed of a sampler may be larger than settings allow.
        self._sampler = Sampler(message.sampling, message.vocabulary)
        self._sampler.seed = message.seed
        self._recovery_tokens = message.recovery_tokens
        self._text = []
        if message.most_kept < len(self._cached):
            del self._cached[message.most_kept :]
            self._passes.cut(message.most_kept)
        self._noise = {}
        self._stop(TreeCache())

    def end(self, conversation: int) -> None:
        """Draft no more for this answer."""
        if conversation == self._conversation:
            self._stop(TreeCache())
            self._noise = {}

    def take(self, outcome: RoundOutcome) -> DraftReply | None:
        """Return the reply to an outcome, and work for the next one; None for an outcome of another text."""
        if outcome.conversation != self._conversation or outcome.position > len(self._text):
            return None
        prepared = self._cache.continuation(outcome.position, outcome.tokens)[: outcome.depth]
        self._text[outcome.position :] = outcome.tokens
        self._rewind(outcome.position)
        self._acceptance = outcome.acceptance
        position = len(self._text)
        if prepared:
            self._plan = self._prepare(TreeCache(position, prepared), outcome.depth)
        else:
            self._plan = self._draft(outcome.depth)
        self.busy = True
        self._has_grown = False
        return DraftReply(outcome.conversation, outcome.round, position, tuple(prepared))

    def step(self) -> None:
        """Run one pass of the work for the next outcome; `busy` becomes false if nothing was left to do."""
        if next(self._plan, self) is self:
            self._stop(self._cache)

    def news(self) -> PreparedTree | None:
        """Return what is prepared for the next outcome if it has grown since the last call, else None."""
        if not self._has_grown or self._conversation is None:
            return None
        self._has_grown = False
        cache = self._cache
        branches = [PreparedBranch(*outcome, tuple(drafted)) for outcome, drafted in cache.branches.items()]
        return PreparedTree(self._conversation, cache.position, tuple(cache.proposed), tuple(branches))

    @property
    def backlog(self) -> int:
        """The number of tokens of the text, without the newest, that the draft model has not read."""
        return max(0, len(self._text) - 1 - len(self._cached))

    def _stop(self, cache: TreeCache) -> None:
        self._has_grown = self._has_grown and cache is self._cache
        self._plan = iter(())
        self.busy = False
        self._cache = cache

    def _rewind(self, position: int) -> None:
        """Cut the caches to the tokens that agree with the text, which is new from `position` on."""
        keep = min(position, len(self._cached))
        end = min(len(self._cached), len(self._text) - 1)
        while keep < end and self._cached[keep] == self._text[keep]:
            keep += 1
        keep = min(keep, len(self._text) - 1)
        del self._cached[keep:]
        self._passes.cut(keep)
        self._logits.clear()
        for passed in [known for known in self._noise if known < len(self._text)]:
            del self._noise[passed]

    def _catch_up(self) -> DraftingSteps:
        """Read the text without its newest token."""
        while self.backlog:
            start = len(self._cached)
            chunk = self._text[start : min(start + CHUNK, len(self._text) - 1)]
            self._feed(chunk)
            mx.eval(self._passes.arrays())
            yield None

    def _draft(self, depth: int) -> DraftingSteps:
        """Draft what the engine drafts for this round itself, and prepare for the likely outcomes."""
        yield from self._catch_up()
        cache = self._cache = TreeCache(len(self._text))
        while len(cache.proposed) < depth:
            whole = self._text + cache.proposed
            new = whole[len(self._cached) :]
            start_s = perf_counter()
            self._feed(new)
            cache.proposed += self._draw(self._logits[len(whole)], [cache.proposed])
            self._costs.observe(max(1, len(new)), perf_counter() - start_s)
            yield None
        yield from self._prepare(cache, depth)

    def _prepare(self, cache: TreeCache, depth: int) -> DraftingSteps:
        """Draft branches for the likely outcomes of verifying `cache.proposed`, by their expected gain a pass."""
        self._cache = cache
        outcomes = self._likely_outcomes(cache)
        chances = list(outcomes.values())
        cache.branches = {outcome: [] for outcome in outcomes}
        branches = list(cache.branches.items())
        self._has_grown = True
        yield None
        tree = Tree(len(self._cached), [cache.position + accepted for accepted, _ in outcomes])
        while chosen := branches_to_deepen(
            chances, [len(drafted) for _, drafted in branches], depth, self._acceptance, self._costs.row
        ):
            start_s = perf_counter()
            tails = [_tail(cache, *branches[index]) for index in chosen]
            logits = self._passes.feed_tree(tree, chosen, self._known([tail[-1] for tail in tails]))
            drawn = self._draw(logits, tails)
            self._costs.observe(len(chosen), perf_counter() - start_s)
            for index, token in zip(chosen, drawn, strict=True):
                branches[index][1].append(token)
            self._has_grown = True
            yield None
        self._passes.cut(len(self._cached))

    def _likely_outcomes(self, cache: TreeCache) -> dict[BranchKey, float]:
        """Return the probabilities of the outcomes of verifying `cache.proposed` that are worth a branch.

        A recovery token is never the draft token that is rejected there. The probabilities of recovery tokens are the
        draft model's; of a draw with noise, which the drafter knows, they are those of the values whose largest is
        drawn. Where truncation leaves no other token than the draft's, there is no branch.
        """
        sampler = self._sampled_with
        proposed = cache.proposed
        first = cache.position
        count = len(proposed)
        self._feed((self._text + proposed)[len(self._cached) :])
        logits = mx.concatenate([self._logits[first + index] for index in range(count + 1)])
        scores = sampler.scores(logits, self._text, mx.array(proposed, mx.uint32) if proposed else None)
        ranked = self._ranked(scores, range(first, first + count + 1))
        if proposed:
            ranked[mx.arange(count), mx.array(proposed)] = -mx.inf
        recovery, chances = _likeliest(ranked, self._recovery_tokens)
        cuts = cut_chances(self._acceptance, count)
        outcomes = {
            (accepted, token): cut * chance
            for accepted, cut in enumerate(cuts)
            for token, chance in zip(recovery[accepted], chances[accepted], strict=True)
        }
        # The chance is NaN for a row without any possible token, and of a damaged model.
        return {outcome: chance for outcome, chance in outcomes.items() if chance >= LEAST_GAIN}

    def _feed(self, tokens: Sequence[int]) -> None:
        """Feed tokens after those in the caches, and keep the logits that predict what follows the text."""
        if not tokens:
            return
        start = len(self._cached)
        logits = self._passes.feed(self._known(tokens))
        self._cached += tokens
        for index in range(max(0, len(self._text) - 1 - start), len(tokens)):
            self._logits[start + index + 1] = logits[index : index + 1]

    def _known(self, tokens: Sequence[int]) -> list[int]:
        """Return `tokens` with 0 in place of those that the draft model has no embedding for."""
        rows = self._rows
        return [token if rows is None or token < rows else 0 for token in tokens]

    def _draw(self, logits: mx.array, tails: Sequence[list[int]]) -> list[int]:
        """Draw a token from each row of `logits` (rows, V), which follows the text and then that row's tail."""
        sampler = self._sampled_with
        if sampler.contextual:
            rows = [sampler.scores(logits[index : index + 1], self._text + tail) for index, tail in enumerate(tails)]
            scores = mx.concatenate(rows)
        else:
            scores = sampler.scores(logits, ())
        positions = [len(self._text) + len(tail) for tail in tails]
        drawn = mx.argmax(self._ranked(scores, positions), axis=-1)
        mx.eval(drawn, self._passes.arrays())
        return cast("list[int]", drawn.tolist())

    def _ranked(self, scores: mx.array, positions: Sequence[int]) -> mx.array:
        """Return values (rows, V); a row's largest is the main model's draw at its position from these scores."""
        sampler = self._sampled_with
        if sampler.greedy:
            return scores
        return sampler.truncated(sampler.log_probabilities(scores)) + self._noise_at(positions)

    def _noise_at(self, positions: Sequence[int]) -> mx.array:
        """Return the main model's noise at `positions`, (rows, V), which is computed once for each."""
        for position in positions:
            if position not in self._noise:
                row = self._sampled_with.noise(position, 1)
                assert row is not None
                mx.eval(row)
                self._noise[position] = row
        return mx.concatenate([self._noise[position] for position in positions])

    @property
    def _sampled_with(self) -> Sampler:
        """The sampler of the answer that has begun."""
        assert self._sampler is not None
        return self._sampler


def _tail(cache: TreeCache, outcome: BranchKey, drafted: list[int]) -> list[int]:
    """Return what follows the text in a branch."""
    accepted, recovery = outcome
    return [*cache.proposed[:accepted], recovery, *drafted]


def _likeliest(ranked: mx.array, count: int) -> tuple[list[list[int]], list[list[float]]]:
    """Return the `count` tokens with the largest values of each row of `ranked` (rows, V), and their softmax there."""
    ids = mx.arange(ranked.shape[-1])
    total = mx.logsumexp(ranked, axis=-1, keepdims=True)
    tokens: list[mx.array] = []
    chances: list[mx.array] = []
    for _ in range(count):
        largest = mx.argmax(ranked, axis=-1, keepdims=True)
        tokens.append(largest)
        chances.append(mx.exp(mx.take_along_axis(ranked, largest, axis=-1) - total))
        ranked = mx.where(ids == largest, -mx.inf, ranked)
    by_row = mx.concatenate(tokens, axis=-1)
    chances_by_row = mx.concatenate(chances, axis=-1)
    mx.eval(by_row, chances_by_row)
    return cast("list[list[int]]", by_row.tolist()), cast("list[list[float]]", chances_by_row.tolist())
