"""Turns a GGUF file into a folder that MLX loads, in a process with limits."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from engine.model_files.gguf_provenance import Provenance


def convert(
    source: Path, folder: Path, on_progress: Callable[[int, int], object], cancelled: threading.Event
) -> Provenance:
    """Turn a GGUF file, or a split one of which `source` is any part, into the model folder `folder`. Waits.

    `on_progress` gets the bytes of weights written so far, and those of all. The folder appears when it is complete;
    what a killed conversion left beside it is removed by the next one. Raises `ModelNotUsable`, and `EngineClosed`
    when `cancelled`.
    """
    raise NotImplementedError
