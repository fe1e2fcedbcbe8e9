"""A tiny main model and rows to train heads on. Needs torch, which only the recipe's extra brings."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from resources.starter.recipe.model import LanguageModel, Shape
from resources.starter.recipe.packing import Rows

MAIN_SHAPE = Shape(32, 3, 2, 2, 16, 32, vocab_size=50)
LENGTH = 24


def tiny_main() -> LanguageModel:
    torch.manual_seed(1)
    model = LanguageModel(MAIN_SHAPE)
    for name, parameter in model.named_parameters():
        if name.endswith(("o_proj.weight", "down_proj.weight")):
            torch.nn.init.normal_(parameter, std=0.2)
    return model.requires_grad_(False)


def open_every_path(head: torch.nn.Module) -> None:
    """Give the matrices of an untrained head weights that matter."""
    for parameter in head.parameters():
        if parameter.ndim == 2:
            torch.nn.init.normal_(parameter, std=0.2)


def two_chats(count: int = 8, length: int = LENGTH) -> Rows:
    """Return rows of two chats each, the second half of which is an answer."""
    generator = np.random.default_rng(3)
    half = length // 2
    answers = np.tile(np.arange(length) % half >= half // 2, (count, 1))
    owners = np.tile(np.arange(length) // half + 1, (count, 1)).astype(np.uint16)
    return Rows(generator.integers(3, 50, (count, length)).astype(np.uint16), answers, owners)


def stops_at(call: int, function: Callable[..., object]) -> Callable[..., object]:
    """Return the function, but its call of this number is interrupted as by Ctrl+C."""
    calls = 0

    def stopping(*given: object) -> object:
        nonlocal calls
        calls += 1
        if calls == call:
            raise KeyboardInterrupt
        return function(*given)

    return stopping
