"""Choose how a head is fed, if published conventions differ: the head is tried with each of them on one text.

Layer ids mean inputs in some heads and outputs in others, states are taken before or after the main model's last norm,
queries have the position of the last token or of the next, and no field of a head says which. The wrong convention
makes proposals worse but does not change the text. One pass of the main model over a short text decides: under the
right convention, the head gives the main model's own choices a higher probability.

That is done when the head is loaded for a main model, not in the first rounds of answers: the pass scores every reading
on the same text at more than a hundred positions, while a round would score one reading at the few tokens that it
verifies, on differing texts, and the rounds of wrong readings would be lost.
"""

from __future__ import annotations

import logging

import mlx.core as mx

from engine.errors import EngineError
from engine.files.steps import Steps
from engine.heads.head import Head
from engine.main_model.loaded_model import LoadedModel
from engine.speculation.rounds.main_ports import main_ports
from engine.speculation.rounds.taps import CannotTap, Taps

log = logging.getLogger(__name__)

# The most tokens of the text that are read: a small piece of a prompt.
MOST_TOKENS = 160
# Heads were trained on answers; this is one.
TEXT = """A speculative decoder has two parts. A small model proposes the next few tokens, and a large model checks \
them all at once. If a proposal is what the large model would have written, it is kept; otherwise it is thrown away, \
and the large model's own token takes its place. The text is therefore exactly the same, it only arrives faster. \
Here is what happens in each round:

1. The small model writes a few tokens, one after the other.
2. The large model reads these tokens in a single pass.
3. The longest run of tokens that both agree on is added to the answer, followed by one more token of the large model.

How much faster this is depends on how often the two agree. For code, lists and repeated text, they agree most of \
the time; for poetry or for unusual names, they agree less often."""


def choose_reading(main: LoadedModel, head: Head) -> Steps[tuple[int, ...]]:
    """Return the likeliest of the head's `readings` for `main`; the head uses it from now on.

    If the main model cannot be tapped, or the trial fails, that is the first one.
    """
    best = head.readings[0]
    try:
        head.bind(main_ports(main))
        ids = yield from main.prompt_in_steps([{"role": "user", "content": TEXT}])
        if len(ids) > 2:
            best = _likeliest(main, head, ids[-MOST_TOKENS:])
    except (CannotTap, EngineError, ValueError) as error:
        log.warning("what the head %s reads was not tried: %s", head.identity, error)
    head.use(best)
    return best


def _likeliest(main: LoadedModel, head: Head, ids: list[int]) -> tuple[int, ...]:
    """Return the reading with which the head finds the main model's own choices for the text `ids` likeliest.

    Runs one pass of the main model; leaves the head with any of the readings.
    """
    tapped = {}
    for reading in head.readings:
        head.use(reading)
        if head.taps[-1] < len(main.model.layers):
            tapped[reading] = head.taps
    if len(tapped) < 2:
        return next(iter(tapped), head.readings[0])
    layers = sorted({layer for taps in tapped.values() for layer in taps})
    with Taps(main.model, layers).record() as outputs:
        logits = main.model(mx.array([ids], mx.uint32), cache=main.new_caches())
    answers = mx.argmax(logits[0, 1:], axis=-1)
    by_layer = dict(zip(layers, outputs, strict=True))
    chances = []
    for reading, taps in tapped.items():
        head.use(reading)
        chances.append(head.log_chance(mx.concatenate([by_layer[layer] for layer in taps], -1), ids, answers))
    values: list[float] = mx.stack(chances).tolist()  # type: ignore[assignment]
    by_reading = dict(zip(tapped, values, strict=True))
    log.info("mean log-probability of the main model's choices by what the head reads: %s", by_reading)
    return max(by_reading, key=lambda reading: by_reading[reading])
