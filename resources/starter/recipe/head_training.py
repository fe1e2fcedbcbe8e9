"""How the head is trained: main is frozen, and at chosen anchors the head learns what main would say next.

Main reads each row once, before the first step, for its tapped layers and its own choices: reading them anew in every
step would take half of the time. A block is worth learning as far as the text equals those choices, since only then is
a later guess looked at; nearer guesses weigh more, as in the DFlash paper.
In half of the steps the blocks are cut to fewer masks, because who decodes asks for as many guesses as pay at that
moment; a step's blocks are of one size, so that no row is computed that teaches nothing.
The learning rate stays full for the first half of the steps: until then, a run may still become a longer one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from resources.starter.recipe.packing import SHORT_ROW, Rows
from resources.starter.recipe.training import make_batch, narrow_numbers, train

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from resources.starter.recipe.head import Head
    from resources.starter.recipe.model import LanguageModel

SHORT_ROWS, LONG_EVERY, BLOCKS = 6, 16, 120
SHARE_OF_CUT_STEPS, LEAST_BLOCK = 0.5, 3
# Every answer's first round begins at its first token, where a head is wrong most often.
OPENING_TOKENS, OPENING_ODDS = 4, 4


# Rows that main reads at once.
READ_AT_ONCE = 8


@dataclass(frozen=True)
class Read:
    """Rows that main has read, with what it chose.

    `taps` (rows, length, taps * hidden_size) are in bfloat16, as main hands them out; `choices` (rows, length) are
    main's own for the token after each place.
    """

    rows: Rows
    taps: Tensor
    choices: Tensor


@dataclass(frozen=True)
class Blocks:
    """Text rows, what main made of them (as in `Read`), and the blocks to draft in them.

    `tokens`, `answers`, `owners` are (rows, length); `anchors` (rows, blocks) are places in a row, `sizes` (rows,
    blocks) how many rows of a block are there, 0 where there is none.
    """

    tokens: Tensor
    answers: Tensor
    owners: Tensor
    taps: Tensor
    choices: Tensor
    anchors: Tensor
    sizes: Tensor


@torch.no_grad()
def read_by(main: LanguageModel, rows: Rows, taps: tuple[int, ...]) -> Read:
    """Let `main` read all rows."""
    parts, choices = [], []
    at_once = max(1, READ_AT_ONCE * SHORT_ROW // rows.tokens.shape[1])
    for start in range(0, len(rows), at_once):
        batch = make_batch(rows, list(range(start, min(start + at_once, len(rows)))))
        with narrow_numbers():
            hidden, tapped = main.tapped(batch.tokens, taps, batch.mask)
            choices.append(main.logits(hidden).argmax(-1).to(torch.int16))
        assert tapped is not None
        parts.append(tapped.to(torch.bfloat16))
    return Read(rows, torch.cat(parts), torch.cat(choices))


def save_read(read: Read, path: Path) -> None:
    """Save what main read, so that a stopped run can resume."""
    rows = {name: torch.from_numpy(getattr(read.rows, name)) for name in ("tokens", "answers", "owners")}
    partial_path = path.with_suffix(".partial")
    torch.save({**rows, "taps": read.taps, "choices": read.choices}, partial_path)
    partial_path.replace(path)


def load_read(path: Path) -> Read:
    """Load what `save_read` saved."""
    kept = torch.load(path, weights_only=True)
    rows = Rows(*(kept[name].cpu().numpy() for name in ("tokens", "answers", "owners")))
    return Read(rows, kept["taps"], kept["choices"])


def train_head(
    head: Head,
    main: LanguageModel,
    short: Read,
    long: Read,
    steps: int,
    seed: int,
    work: Path,
    first_rate: float = 1.0,
) -> None:
    """Train `head` in place for `main`, which read the rows and stays as it is; `work` is the checkpoint's path.

    The learning rate is `first_rate` of the full one for half of the steps and then falls to 0. On one thread and
    without torch's compiler, for the same bits wherever torch and the processor are the same, also where a run is
    stopped and goes on.
    """
    torch.set_num_threads(1)
    main.requires_grad_(False).eval()
    fall = [first_rate * min(1.0, 2 * (1 - step / steps)) for step in range(steps)]
    data = partial(blocks_from, short, long, head.shape.block_size, seed, steps)
    train(head, data, fall, work, loss_of=partial(head_loss, main), compiled=False)


def blocks_from(short: Read, long: Read, block_size: int, seed: int, steps: int, start: int) -> Iterator[Blocks]:
    """The blocks of steps `start` to `steps`: the same for the same seed, wherever a run begins."""
    for step in range(start, steps):
        generator = np.random.default_rng((seed, step))
        is_long = (step + 1) % LONG_EVERY == 0
        read, count = (long, 1) if is_long else (short, SHORT_ROWS)
        chosen = generator.choice(len(read.rows), count, replace=False).tolist()
        is_cut = generator.random() < SHARE_OF_CUT_STEPS
        size = int(generator.integers(LEAST_BLOCK, block_size + 1)) if is_cut else block_size
        yield draw_blocks(read, chosen, BLOCKS // count, size, generator)


def draw_blocks(read: Read, chosen: list[int], blocks: int, block_size: int, generator: np.random.Generator) -> Blocks:
    """`blocks` anchors in each chosen row, among the answers' tokens that another one follows, for blocks of one size.

    An answer's first `OPENING_TOKENS` are `OPENING_ODDS` times as likely to be drawn as others.
    """
    answers, owners = read.rows.answers[chosen], read.rows.owners[chosen]
    is_anchor = np.zeros_like(answers)
    is_anchor[:, :-1] = answers[:, :-1] & answers[:, 1:] & (owners[:, :-1] == owners[:, 1:])
    is_late = is_anchor.copy()
    is_late[:, OPENING_TOKENS:] &= answers[:, :-OPENING_TOKENS] & (
        owners[:, OPENING_TOKENS:] == owners[:, :-OPENING_TOKENS]
    )
    is_late[:, :OPENING_TOKENS] = False
    odds = np.where(is_late, 1, OPENING_ODDS)
    keys = np.where(is_anchor, generator.random(answers.shape) / odds, 2.0)
    anchors = np.argsort(keys, axis=1)[:, :blocks]
    sizes = np.where(np.take_along_axis(is_anchor, anchors, axis=1), block_size, 0)
    return Blocks(
        torch.as_tensor(read.rows.tokens[chosen].astype(np.int64)),
        torch.as_tensor(answers),
        torch.as_tensor(owners.astype(np.int64)),
        read.taps[chosen],
        read.choices[chosen].long(),
        torch.as_tensor(anchors),
        torch.as_tensor(sizes),
    )


def head_loss(main: LanguageModel, head: Head, blocks: Blocks) -> Tensor:
    """Cross-entropy of the drafts with main's own choices, weighted by their place in the block."""
    size = int(blocks.sizes.max())
    with torch.no_grad():
        embedded = head.blocks_of(main, blocks.tokens.gather(1, blocks.anchors))[:, :, :size].flatten(1, 2)
    positions = (blocks.anchors[..., None] + torch.arange(size)).flatten(1)
    drafted = head(embedded, positions, blocks.taps.float(), block_mask(blocks, size))
    targets, weights = (part[..., :size] for part in targets_and_weights(blocks, head.shape.block_size))
    wanted = weights.flatten().nonzero().squeeze(1)
    scores = main.logits(drafted.flatten(0, 1)[wanted]).float()
    losses = functional.cross_entropy(scores, targets.flatten()[wanted], reduction="none")
    counted = weights.flatten()[wanted]
    return losses @ counted / counted.sum()


def block_mask(blocks: Blocks, block_size: int) -> Tensor:
    """(rows, 1, blocks * block_size, length + blocks * block_size): the text before the anchor, and the own block.

    A cut block's missing rows are seen by none.
    """
    anchors, sizes = blocks.anchors, blocks.sizes
    rows, count = anchors.shape
    places = torch.arange(blocks.tokens.shape[1])
    is_own_text = blocks.owners[:, None, :] == blocks.owners.gather(1, anchors)[..., None]
    text = (is_own_text & (places < anchors[..., None])).repeat_interleave(block_size, dim=1)
    is_there = (torch.arange(block_size) < sizes.clamp(min=1)[..., None]).flatten(1)
    own_block = torch.block_diag(*[torch.ones(block_size, block_size)] * count).bool()
    return torch.cat([text, own_block & is_there[:, None, :].expand(rows, count * block_size, -1)], dim=2)[:, None]


def targets_and_weights(blocks: Blocks, block_size: int) -> tuple[Tensor, Tensor]:
    """Main's choice at every row of every block, and what it counts; both (rows, blocks, block_size).

    Row j >= 1 predicts the token at anchor + j. It counts exp(-(j - 1) / fall) while the text up to there is what main
    would have said, and nothing beyond the answer or the block's size; the anchor's own row counts nothing.
    """
    last = blocks.tokens.shape[1] - 1
    rows = torch.arange(blocks.tokens.shape[0])[:, None, None]
    offsets = torch.arange(block_size)
    places = blocks.anchors[..., None] + offsets
    inside = places.clamp(max=last)
    before = (places - 1).clamp(min=0, max=last)
    targets = blocks.choices[rows, before]
    is_same_answer = blocks.answers[rows, inside] & (
        blocks.owners[rows, inside] == blocks.owners[rows, blocks.anchors[..., None]]
    )
    is_open = (is_same_answer & (places <= last)).long().cumprod(-1)
    agrees = (targets == blocks.tokens[rows, inside]).long()
    agrees[..., 0] = 1
    so_far = functional.pad(agrees.cumprod(-1)[..., :-1], (1, 0), value=1)
    weights = torch.exp(-(offsets - 1) / fall_of(block_size)) * is_open * so_far
    weights = weights * (offsets < blocks.sizes[..., None])
    weights[..., 0] = 0.0
    return targets, weights


def fall_of(block_size: int) -> float:
    """How many guesses it takes for the weight to fall to 1/e: the paper's 4 for blocks of 8 and 7 for 16."""
    return 4 + 3 * (block_size - 8) / 8
