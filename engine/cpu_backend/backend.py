"""What differs between MLX's backends: the one place that asks which of them computes.

TANDEM_BACKEND=gpu in the environment runs the branches of a GPU on any device, and so what a Mac runs but for the
kernels; "cpu" runs the kernels of the CPU. Child processes inherit it. It is for developers: the test suite sets it.
TANDEM_DEVICE=cpu lets the CPU compute: it is for the Macs of continuous integration, on whose virtual GPUs products
have been wrong.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import mlx.core as mx
import mlx.nn as nn

VARIABLE = "TANDEM_BACKEND"
DEVICE_VARIABLE = "TANDEM_DEVICE"


@dataclass(frozen=True)
class Backend:
    """How passes run on one of MLX's backends.

    `keeps_weights`: weights stay as they are stored; else they become float32, in blocks for products over few rows.
    `host_reads_scores`: the host computes log-probabilities of greedy draft rounds from the scores.
    `compiles`: MLX compiles fused operations (`mx.compile`). For a CPU it would do so with the system's C++ compiler,
    and load the results from the temporary folder. Hardened systems and apps refuse that, a full disk has no room for
    them, and where all users share that folder, one would load what another has put there.
    """

    name: str
    keeps_weights: bool
    host_reads_scores: bool
    compiles: bool


GPU = Backend("gpu", keeps_weights=True, host_reads_scores=False, compiles=True)
CPU = Backend("cpu", keeps_weights=False, host_reads_scores=True, compiles=False)


def backend() -> Backend:
    """Return the backend of this process: the one that the environment names, else the one of MLX's default device."""
    by_device = CPU if mx.default_device() == mx.Device(mx.cpu) else GPU
    return {GPU.name: GPU, CPU.name: CPU}.get(os.environ.get(VARIABLE, ""), by_device)


def choose_device() -> None:
    """Make MLX compute on the device that the environment names, or else on its own choice, as the backend says.

    A process calls this before it computes, and before it imports mlx_lm, which keeps a stream of the device.
    """
    if os.environ.get(DEVICE_VARIABLE) == "cpu":
        mx.set_default_device(mx.cpu)
    if not backend().compiles:
        mx.disable_compile()


def use_cpu() -> None:
    """Compute on the CPU in this process, also where the engine that started it has a GPU."""
    os.environ |= {DEVICE_VARIABLE: "cpu", VARIABLE: CPU.name}
    choose_device()


def as_computed(model: nn.Module) -> nn.Module:
    """Return a model whose weights have not been read in the precision in which this backend computes them."""
    model = dequantised(model)
    set_precision(model)
    return model


def dequantised(model: nn.Module) -> nn.Module:
    """Return a model whose weights have not been read, without quantised layers where this backend computes none."""
    if backend().keeps_weights:
        return model
    # Not at the top: see `choose_device`.
    from mlx_lm.utils import dequantize_model

    return dequantize_model(model)


def set_precision(model: nn.Module) -> None:
    """Give the weights of a model the precision in which this backend computes them; nothing is evaluated."""
    if not backend().keeps_weights:
        model.set_dtype(mx.float32)
