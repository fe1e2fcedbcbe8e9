"""The training loop of both models: Muon on matrices, AdamW on the rest, bfloat16 where it is fast, resumable.

The learning rate is given step by step, as shares of the full one. Where there is a C++ compiler, torch fuses what
stands between the matrix products, which saves a quarter of the time.
"""

from __future__ import annotations

import shutil
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from resources.starter.recipe.circuits import Held, hold
from resources.starter.recipe.muon import NARROW, Muon

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from resources.starter.recipe.courses import Course
    from resources.starter.recipe.model import LanguageModel
    from resources.starter.recipe.packing import Rows

CHECKPOINT_EVERY = 100
REPORT_EVERY = 10
MATRIX_RATE, OTHER_RATE = 0.02, 0.004
WARMUP_STEPS = 40

M = TypeVar("M", bound=nn.Module)
B = TypeVar("B")


def rates(courses: Sequence[Course]) -> list[float]:
    """Share of the full learning rate at every step of all courses."""
    shares: list[float] = []
    for course in courses:
        fall = (course.first_rate - course.last_rate) / course.steps
        shares += [course.first_rate - fall * step for step in range(course.steps)]
    return shares


@dataclass(frozen=True)
class Batch:
    """One step's tokens (rows, length), attention mask (rows, 1, length, length) and what is to be predicted.

    `predicting` indexes flattened positions, `targets` are the tokens to come there, `weights` what each counts.
    """

    tokens: Tensor
    mask: Tensor
    predicting: Tensor
    targets: Tensor
    weights: Tensor


def batches(
    short: Rows, long: Rows, tokens_per_step: int, *, seed: int, long_every: int, question_weight: float = 0.0
) -> Iterator[Batch]:
    """Endless batches in a seeded order; every `long_every`-th holds long rows."""
    generator = np.random.default_rng(seed)
    queues = {id(rows): iter(()) for rows in (short, long)}

    def take(rows: Rows) -> Batch:
        wanted = max(1, tokens_per_step // rows.tokens.shape[1])
        chosen: list[int] = []
        while len(chosen) < wanted:
            index = next(queues[id(rows)], None)
            if index is None:
                queues[id(rows)] = iter(generator.permutation(len(rows)).tolist())
            else:
                chosen.append(index)
        return make_batch(rows, chosen, question_weight)

    step = 0
    while True:
        step += 1
        yield take(long if step % long_every == 0 else short)


def make_batch(rows: Rows, chosen: list[int], question_weight: float = 0.0) -> Batch:
    """The rows with these indices, each conversation attending to itself only."""
    tokens = torch.as_tensor(rows.tokens[chosen].astype(np.int64))
    owners = torch.as_tensor(rows.owners[chosen].astype(np.int64))
    answers = torch.as_tensor(rows.answers[chosen])
    length = tokens.shape[1]
    causal = torch.ones(length, length, dtype=torch.bool).tril()
    mask = (owners[:, :, None] == owners[:, None, :]) & causal
    goes_on = (owners[:, 1:] == owners[:, :-1]) & (owners[:, 1:] > 0)
    weights = torch.zeros(tokens.shape)
    weights[:, :-1] = torch.where(answers[:, 1:], 1.0, question_weight) * goes_on
    predicting = weights.flatten().nonzero().squeeze(1)
    if rows.choices is None:
        targets = tokens.flatten()[predicting + 1]
    else:
        targets = torch.as_tensor(rows.choices[chosen].astype(np.int64)).flatten()[predicting]
    return Batch(tokens, mask[:, None], predicting, targets, weights.flatten()[predicting])


def next_token_loss(model: LanguageModel, batch: Batch) -> Tensor:
    """Return the weighted mean of the predicted tokens' cross-entropy."""
    hidden = model(batch.tokens, batch.mask).flatten(0, 1)
    scores = model.logits(hidden[batch.predicting]).float()
    losses = functional.cross_entropy(scores, batch.targets, reduction="none")
    return losses @ batch.weights / batch.weights.sum()


def train(
    model: M,
    data_from: Callable[[int], Iterator[B]],
    shares: Sequence[float],
    checkpoint: Path,
    *,
    loss_of: Callable[[M, B], Tensor],
    optimisers_of: Callable[[nn.Module], list[torch.optim.Optimizer]] | None = None,
    held: Held = (),
    held_steps: int = 0,
    compiled: bool = True,
) -> None:
    """Train `model` in place, a step for each share of the full rate, going on from `checkpoint` if any.

    `optimisers_of` makes the optimisers at their full rates; unless given, Muon on matrices and AdamW on the rest.
    What is `held` keeps its value for the first `held_steps`. Unless `compiled`, no C++ compiler has a say in the bits.
    """
    if compiled:
        compile_if_possible(model)
    optimisers = (optimisers_of or muon_and_adamw)(model)
    full = [[group["lr"] for group in optimiser.param_groups] for optimiser in optimisers]
    start = _resume(model, optimisers, checkpoint)
    began, mean = time.monotonic(), 0.0
    for step, batch in enumerate(data_from(start), start):
        share = shares[step]
        _set_rates(optimisers, full, share * min(1.0, (step + 1) / WARMUP_STEPS))
        with narrow_numbers():
            loss = loss_of(model, batch)
        loss.backward()
        for optimiser in optimisers:
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
        if step < held_steps:
            hold(held)
        mean = loss.item() if mean == 0.0 else 0.95 * mean + 0.05 * loss.item()
        if (step + 1) % REPORT_EVERY == 0:
            pace = (time.monotonic() - began) / (step + 1 - start)
            print(f"step {step + 1}/{len(shares)}  loss {mean:.4f}  {pace:.2f} s/step", file=sys.stderr, flush=True)
        if (step + 1) % CHECKPOINT_EVERY == 0 or step + 1 == len(shares):
            _save(model, optimisers, step + 1, checkpoint)


def narrow_numbers() -> torch.autocast:
    """Products in bfloat16 where the processor has instructions for it."""
    return torch.autocast("cpu", torch.bfloat16, enabled=torch.bfloat16 == NARROW)


def compile_if_possible(model: nn.Module) -> None:
    """Let torch fuse the operations between matrix products, if there is a C++ compiler."""
    if shutil.which("g++") or shutil.which("clang++"):
        model.compile(dynamic=False)


def muon_and_adamw(model: nn.Module) -> list[torch.optim.Optimizer]:
    """Muon on the matrices, AdamW on the embeddings and norms, at their full rates."""
    matrices = [p for name, p in model.named_parameters() if p.ndim == 2 and "embed" not in name]
    others = [p for name, p in model.named_parameters() if p.ndim < 2 or "embed" in name]
    return [
        Muon(matrices, lr=MATRIX_RATE),
        torch.optim.AdamW(others, lr=OTHER_RATE, betas=(0.9, 0.98), weight_decay=0.0),
    ]


def _set_rates(optimisers: list[torch.optim.Optimizer], full: list[list[float]], share: float) -> None:
    for optimiser, rates_of_groups in zip(optimisers, full, strict=True):
        for group, rate in zip(optimiser.param_groups, rates_of_groups, strict=True):
            group["lr"] = rate * share


def _save(model: nn.Module, optimisers: list[torch.optim.Optimizer], step: int, path: Path) -> None:
    state: dict[str, Any] = {
        "model": model.state_dict(),
        "optimisers": [optimiser.state_dict() for optimiser in optimisers],
        "step": step,
    }
    partial = path.with_suffix(".partial")
    torch.save(state, partial)
    partial.replace(path)


def _resume(model: nn.Module, optimisers: list[torch.optim.Optimizer], path: Path) -> int:
    if not path.exists():
        return 0
    state = torch.load(path, weights_only=True)
    model.load_state_dict(state["model"])
    for optimiser, saved in zip(optimisers, state["optimisers"], strict=True):
        optimiser.load_state_dict(saved)
    return int(state["step"])
