"""Which of MLX's devices computes."""

from __future__ import annotations

import os

import mlx.core as mx

VARIABLE = "TANDEM_DEVICE"


def choose_device() -> None:
    """Compute on the CPU in this process if TANDEM_DEVICE is "cpu"; call it before mlx_lm is imported.

    The Macs of continuous integration are virtual, and products on their paravirtual GPUs have been wrong.
    """
    if os.environ.get(VARIABLE) == "cpu":
        mx.set_default_device(mx.cpu)
