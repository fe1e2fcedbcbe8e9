"""What differs between MLX's backends: the one place that asks which of them computes.

TANDEM_BACKEND=gpu in the environment runs the branches of a GPU on any device, and so what a Mac runs but for the
kernels; "cpu" runs those of the CPU. Child processes inherit it. It is for developers: the test suite sets it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.utils import dequantize_model

VARIABLE = "TANDEM_BACKEND"


@dataclass(frozen=True)
class Backend:
    """How passes run on one of MLX's backends.

    `keeps_weights`: weights stay as they are stored; else they become float32, in blocks for products over few rows.
    `host_reads_scores`: the host computes log-probabilities of greedy draft rounds from the scores.
    """

    name: str
    keeps_weights: bool
    host_reads_scores: bool


GPU = Backend("gpu", keeps_weights=True, host_reads_scores=False)
CPU = Backend("cpu", keeps_weights=False, host_reads_scores=True)


def backend() -> Backend:
    """Return the backend of this process: the one that the environment names, else that of MLX's default device."""
    by_device = CPU if mx.default_device() == mx.Device(mx.cpu) else GPU
    return {GPU.name: GPU, CPU.name: CPU}.get(os.environ.get(VARIABLE, ""), by_device)


def use_cpu() -> None:
    """Compute on the CPU in this process, also where the engine that started it has a GPU."""
    mx.set_default_device(mx.cpu)
    os.environ[VARIABLE] = CPU.name


def as_computed(model: nn.Module) -> nn.Module:
    """Return a model whose weights have not been read in the precision in which this backend computes them."""
    model = dequantised(model)
    set_precision(model)
    return model


def dequantised(model: nn.Module) -> nn.Module:
    """Return a model whose weights have not been read, without quantised layers where this backend computes none."""
    return model if backend().keeps_weights else dequantize_model(model)


def set_precision(model: nn.Module) -> None:
    """Give the weights of a model the precision in which this backend computes them; nothing is evaluated."""
    if not backend().keeps_weights:
        model.set_dtype(mx.float32)
