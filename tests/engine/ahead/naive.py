"""The answers of a drafter without any cache, and the rounds of a main model with a drafter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import mlx.core as mx
import mlx.nn as nn

from engine.ahead.messages import Begin, DraftReply, RoundOutcome
from engine.ahead.tree_drafter import TreeDrafter
from engine.main_model.sampling import Sampler


def continued(model: nn.Module, sampler: Sampler, text: Sequence[int], count: int) -> list[int]:
    """Draw `count` tokens after `text`, each from a pass over the whole text."""
    whole = list(text)
    for _ in range(count):
        logits = model(mx.array([whole]))[0, -1:]
        scores = sampler.scores(logits, whole)
        noise = sampler.noise(len(whole), 1)
        token = sampler.draw(scores if noise is None else sampler.log_probabilities(scores), noise)
        whole.append(int(token.item()))
    return whole[len(text) :]


def until_idle(drafter: TreeDrafter, most: int | None = None) -> None:
    """Let the drafter work to the end, or for `most` steps."""
    steps = 0
    while drafter.busy and (most is None or steps < most):
        drafter.step()
        steps += 1


def rounds(
    drafter: TreeDrafter,
    begin: Begin,
    prompt: Sequence[int],
    written: Sequence[int],
    own: Callable[[list[int]], list[int]],
    steps: int | None = None,
) -> Iterator[tuple[list[int], DraftReply]]:
    """Yield (text so far, the drafter's answer) for rounds of a main model that writes `written`.

    Where the drafter has nothing, the engine drafts `own(text)` itself.
    """
    text, number, position = list(prompt), 0, 0
    whole = [*prompt, *written]
    drafter.begin(begin)
    while len(text) + 3 < len(whole):
        answer = drafter.take(RoundOutcome(begin.conversation, number, position, tuple(text[position:]), 3))
        assert answer is not None
        assert (answer.round, answer.position) == (number, len(text))
        yield list(text), answer
        until_idle(drafter, steps)
        position, number = len(text), number + 1
        proposed = answer.tokens or own(text)
        right = (a == b for a, b in zip(proposed, whole[position:], strict=False))
        accepted = next((index for index, same in enumerate(right) if not same), len(proposed))
        text = whole[: position + accepted + 1]
