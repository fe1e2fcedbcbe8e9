"""Drafts for a round, and, while the main model verifies it, for the round's likely outcomes.

`TreeDrafter` is the drafter without its connection: it takes messages and works in steps of one pass each, so that a
verdict never waits for more than one pass.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence

import mlx.core as mx
import mlx.nn as nn

from engine.async_drafting.branches import BranchPasses, Tree
from engine.async_drafting.messages import BEHIND, HIT, JUST_IN_TIME, MISS, Answer, Begin, Verdict
from engine.async_drafting.tree_cache import Branch, RowBudget, TreeCache, fan_out
from engine.cpu_backend.log_probabilities import likeliest_log_probabilities
from engine.main_model.sampling import MIN_JOINT_PROBABILITY, Sampler

# The most tokens of a catch-up pass, and the largest backlog with which a round may wait for a proposal.
CHUNK, MOST_BACKLOG = 256, 64
MOST_ROWS = 12
# The weight of one draft token in the measured acceptance.
_STEP = 0.1

Steps = Iterator[Answer | None]


class TreeDrafter:
    """Drafts with `model` for one answer at a time.

    Call `begin`, `take` and `end` for messages, and `step` while `busy`. Raises `NoBranches` for a model that it cannot
    use. Not thread-safe.
    """

    def __init__(self, model: nn.Module) -> None:
        self._passes = BranchPasses(model)
        self._conversation: int | None = None
        self._sampler: Sampler | None = None
        self._text: list[int] = []
        # The tokens in the caches (text, then draft tokens), and the logits by the position that they predict.
        self._held: list[int] = []
        self._logits: dict[int, mx.array] = {}
        self._noise: dict[int, mx.array] = {}
        self._cache = TreeCache()
        self._budget = RowBudget(MOST_ROWS)
        self._acceptance = 0.7
        self._plan: Steps = iter(())
        self._prepared_for = 0
        # When the latest pass began: a verdict that is taken now arrived after that.
        self._step_began = 0.0
        self._stops_early = False
        self.busy = False

    def begin(self, message: Begin) -> None:
        """Begin an answer. The caches keep the tokens that its text shares with the last one."""
        self._conversation = message.conversation
        # The seed of a sampler may be larger than settings allow.
        self._sampler = Sampler(message.sampling, message.vocabulary)
        self._sampler.seed = message.seed
        self._text, self._noise = [], {}
        self._stop(TreeCache())

    def end(self, conversation: int) -> None:
        """Draft no more for this answer."""
        if conversation == self._conversation:
            self._stop(TreeCache())
            self._noise = {}

    def take(self, verdict: Verdict) -> Answer | None:
        """Return the answer to a verdict that is known now: a hit or a miss. None if none is wanted."""
        if verdict.conversation != self._conversation or verdict.position > len(self._text):
            return None
        came_in = self._step_began if self.busy else time.perf_counter()
        found = self._cache.find(verdict.position, verdict.tokens)
        self._learn(verdict)
        self._text[verdict.position :] = verdict.tokens
        self._rewind(verdict.position)
        position, depth = len(self._text), verdict.depth
        self._stops_early = verdict.stops_early and self._sampled_with.greedy
        if not depth:
            self._start(self._catch_up())
            return None
        if found is not None and (count := self._likely(found.probabilities[:depth])):
            cache = TreeCache(position, found.tokens[:count], found.probabilities[:count])
            self._start(self._prepare(cache, depth))
            return Answer(verdict.conversation, verdict.round, position, HIT, tuple(cache.proposed))
        behind = self.backlog > MOST_BACKLOG
        self._start(self._catch_up() if behind else self._draft(verdict, came_in + verdict.deadline_s))
        return Answer(verdict.conversation, verdict.round, position, BEHIND if behind else MISS)

    def step(self) -> Answer | None:
        """Run the next pass, and return an answer if it completed one."""
        self._step_began = time.perf_counter()
        try:
            return next(self._plan)
        except StopIteration:
            self._stop(self._cache)
            return None

    @property
    def backlog(self) -> int:
        """The number of tokens of the text, without the newest, that the draft model has not read."""
        return max(0, len(self._text) - 1 - len(self._held))

    def _start(self, plan: Steps) -> None:
        self._plan, self.busy = plan, True

    def _stop(self, cache: TreeCache) -> None:
        self._plan, self.busy, self._cache = iter(()), False, cache

    def _learn(self, verdict: Verdict) -> None:
        """Learn how many draft tokens were accepted, and whether the branches were ready."""
        proposed = self._cache.proposed
        if verdict.position != self._cache.position or not proposed:
            return
        # The engine may have drafted the same tokens itself, and counts them as its own.
        for drafted, committed in zip(proposed, verdict.tokens, strict=False):
            self._acceptance += _STEP * ((drafted == committed) - self._acceptance)
            if drafted != committed:
                break
        if self._prepared_for:
            self._budget.observe(self._prepared_for, finished=not self.busy)

    def _rewind(self, position: int) -> None:
        """Cut the caches to the tokens that agree with the text, which is new from `position` on."""
        keep, end = min(position, len(self._held)), min(len(self._held), len(self._text) - 1)
        while keep < end and self._held[keep] == self._text[keep]:
            keep += 1
        keep = min(keep, len(self._text) - 1)
        del self._held[keep:]
        self._passes.cut(keep)
        self._logits.clear()
        self._prepared_for = 0
        for before in [known for known in self._noise if known < len(self._text)]:
            del self._noise[before]

    def _catch_up(self) -> Steps:
        """Read the text without its newest token."""
        while self.backlog:
            start = len(self._held)
            chunk = self._text[start : min(start + CHUNK, len(self._text) - 1)]
            self._feed(chunk)
            mx.eval(self._passes.arrays())
            yield None

    def _draft(self, verdict: Verdict, until: float) -> Steps:
        """Draft for the text, answer, and prepare for the likely outcomes."""
        yield from self._catch_up()
        cache = self._cache = TreeCache(len(self._text))
        while len(cache.proposed) < verdict.depth:
            began = time.perf_counter()
            whole = self._text + cache.proposed
            self._feed(whole[len(self._held) :])
            tokens, probabilities = self._draw(self._logits[len(whole)], [len(whole)], [whole])
            cache.proposed += tokens
            cache.probabilities += probabilities
            now = time.perf_counter()
            # Assume that another token takes as long as this one.
            if not self._goes_on(cache.probabilities) or 2 * now - began > until:
                break
            yield None
        key = verdict.conversation, verdict.round, cache.position, JUST_IN_TIME
        yield Answer(*key, tuple(cache.proposed))
        yield from self._prepare(cache, verdict.depth)

    def _prepare(self, cache: TreeCache, depth: int) -> Steps:
        """Draft branches for the likely outcomes of verifying `cache.proposed`, all side by side."""
        self._cache, self._prepared_for = cache, depth
        branches = self._outcomes(cache, depth)
        cache.add(branches)
        yield None
        tree = Tree(len(self._held), [cache.position + branch.accepted for branch in branches])
        live = list(range(len(branches)))
        for _ in range(depth):
            ends = [(branches[index].tokens or [branches[index].recovery])[-1] for index in live]
            logits = self._passes.feed_tree(tree, live, ends)
            texts = [self._path(cache, branches[index]) for index in live]
            tokens, probabilities = self._draw(logits, [len(text) for text in texts], texts)
            for index, token, probability in zip(live, tokens, probabilities, strict=True):
                branches[index].tokens.append(token)
                branches[index].probabilities.append(probability)
            live = [index for index in live if self._goes_on(branches[index].probabilities)]
            yield None
            if not live:
                break
        self._passes.cut(len(self._held))

    def _outcomes(self, cache: TreeCache, depth: int) -> list[Branch]:
        """Return branches with the likeliest bonus tokens at each accepted length, without the rejected token."""
        sampler, proposed, first = self._sampled_with, cache.proposed, cache.position
        count = len(proposed)
        self._feed((self._text + proposed)[len(self._held) :])
        logits = mx.concatenate([self._logits[first + index] for index in range(count + 1)])
        scores = sampler.scores(logits, self._text, mx.array(proposed, mx.uint32) if proposed else None)
        ranked = self._ranked(scores, range(first, first + count + 1))
        if proposed:
            ranked[mx.arange(count), mx.array(proposed)] = -mx.inf
        wanted = fan_out(self._acceptance, count, self._budget.rows(depth))
        branches: list[Branch] = []
        for rank in range(max(wanted)):
            best = mx.argmax(ranked, axis=-1)
            tokens: list[int] = best.tolist()  # type: ignore[assignment]
            branches += [Branch(j, token) for j, token in enumerate(tokens) if rank < wanted[j]]
            ranked[mx.arange(count + 1), best] = -mx.inf
        return branches

    def _path(self, cache: TreeCache, branch: Branch) -> list[int]:
        return [*self._text, *cache.proposed[: branch.accepted], branch.recovery, *branch.tokens]

    def _feed(self, tokens: Sequence[int]) -> None:
        """Feed tokens after those in the caches, and keep the logits that predict what follows the text."""
        if not tokens:
            return
        start = len(self._held)
        logits = self._passes.feed(tokens)
        self._held += tokens
        for index in range(max(0, len(self._text) - 1 - start), len(tokens)):
            self._logits[start + index + 1] = logits[index : index + 1]

    def _draw(
        self, logits: mx.array, positions: Sequence[int], texts: Sequence[list[int]]
    ) -> tuple[list[int], list[float]]:
        """Draw a token from each row of `logits` (rows, V) at `positions` after `texts`; return also probabilities."""
        sampler = self._sampled_with
        if sampler.contextual:
            rows = [sampler.scores(logits[i : i + 1], text) for i, text in enumerate(texts)]
            scores = mx.concatenate(rows)
        else:
            scores = sampler.scores(logits, ())
        drawn = mx.argmax(self._ranked(scores, positions), axis=-1)
        if sampler.greedy:
            mx.eval(drawn, scores, self._passes.arrays())
            # A drafter runs on the CPU.
            likeliest = likeliest_log_probabilities(scores)
            return drawn.tolist(), [math.exp(value) for value in likeliest]  # type: ignore[return-value]
        logprobs = sampler.log_probabilities(scores)
        probabilities = mx.exp(mx.take_along_axis(logprobs, drawn[:, None], axis=-1)[:, 0])
        mx.eval(drawn, probabilities, self._passes.arrays())
        return drawn.tolist(), probabilities.tolist()  # type: ignore[return-value]

    def _ranked(self, scores: mx.array, positions: Sequence[int]) -> mx.array:
        """Return values (rows, V); a row's largest is the main model's draw at its position from these scores."""
        sampler = self._sampled_with
        if sampler.greedy:
            return scores
        return sampler.truncated(sampler.log_probabilities(scores)) + self._noise_at(positions)

    def _noise_at(self, positions: Sequence[int]) -> mx.array:
        """Return the main model's noise at `positions` (rows, V), which is computed once for each."""
        for position in positions:
            if position not in self._noise:
                row = self._sampled_with.noise(position, 1)
                assert row is not None
                mx.eval(row)
                self._noise[position] = row
        return mx.concatenate([self._noise[position] for position in positions])

    def _likely(self, probabilities: Sequence[float]) -> int:
        """Return how many tokens with these probabilities are worth verifying."""
        ends = (count for count in range(1, len(probabilities)) if not self._goes_on(probabilities[:count]))
        return next(ends, len(probabilities))

    def _goes_on(self, probabilities: Sequence[float]) -> bool:
        """Whether another token after tokens with these probabilities is worth drafting."""
        return not self._stops_early or math.prod(probabilities) >= MIN_JOINT_PROBABILITY

    @property
    def _sampled_with(self) -> Sampler:
        assert self._sampler is not None
        return self._sampler
