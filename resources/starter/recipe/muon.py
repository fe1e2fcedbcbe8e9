"""Muon: momentum whose matrices are made orthogonal before they are applied (K. Jordan, 2024).

On models this small it reaches the same loss as AdamW in about half the steps, which two CPU cores notice.
"""

from __future__ import annotations

import platform
from collections import defaultdict
from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from collections.abc import Iterable

# bfloat16 where the processor has instructions for it; elsewhere products in it take three times as long or more.
NARROW = (
    torch.bfloat16
    if torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported() or platform.machine() != "x86_64"
    else torch.float32
)
# A quintic whose iteration drives singular values towards one; the published coefficients.
_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
_ITERATIONS = 5


def orthogonalised(matrices: Tensor) -> Tensor:
    """Nearly orthogonal matrices (count, rows, columns) with the singular vectors of `matrices`; of dtype `NARROW`."""
    a, b, c = _COEFFICIENTS
    x = matrices.to(NARROW)
    is_tall = x.shape[-2] > x.shape[-1]
    if is_tall:
        x = x.mT
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(_ITERATIONS):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.mT if is_tall else x


class Muon(torch.optim.Optimizer):
    """Nesterov momentum over orthogonalised updates; matrices of one shape are handled in one batch."""

    def __init__(self, matrices: Iterable[Tensor], lr: float) -> None:
        super().__init__(list(matrices), {"lr": lr, "momentum": 0.95, "weight_decay": 0.01})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        assert closure is None
        for group in self.param_groups:
            by_shape: dict[torch.Size, list[Tensor]] = defaultdict(list)
            for matrix in group["params"]:
                by_shape[matrix.shape].append(matrix)
            for shape, matrices in by_shape.items():
                rate = group["lr"] * max(1.0, shape[0] / shape[1]) ** 0.5
                for matrix, update in zip(matrices, self._updates(matrices, group["momentum"]), strict=True):
                    matrix.mul_(1 - group["lr"] * group["weight_decay"]).sub_(update.float(), alpha=rate)

    def _updates(self, matrices: list[Tensor], momentum: float) -> Tensor:
        directions = []
        for matrix in matrices:
            assert matrix.grad is not None
            state = self.state[matrix]
            if "average" not in state:
                state["average"] = torch.zeros_like(matrix)
            state["average"].lerp_(matrix.grad, 1 - momentum)
            directions.append(matrix.grad.lerp(state["average"], momentum))
        return orthogonalised(torch.stack(directions))
