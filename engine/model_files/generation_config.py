"""Reads the sampling that a model's authors recommend from generation_config.json, under the usual JSON limits."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.files.bounded_json import CONFIG, UntrustedJsonError, read_object
from engine.requests import MAX_TEMPERATURE

log = logging.getLogger(__name__)

NAME = "generation_config.json"
# The least and the largest value that counts as a recommendation, by the names of `engine.requests.SamplingSettings`.
_RANGES = {
    "temperature": (0.0, MAX_TEMPERATURE),
    "top_p": (0.01, 1.0),
    "top_k": (0, 100_000),
    "min_p": (0.0, 1.0),
    "repetition_penalty": (0.1, 10.0),
    "thinking_budget": (1, 1_000_000),
}


def recommended_sampling(folder: Path) -> tuple[tuple[str, float], ...]:
    """Return (name, value) pairs of the folder's recommended sampling.

    The names are fields of `engine.requests.SamplingSettings`.
    Empty if there is none or the file cannot be read: a recommendation is never a reason to refuse a model.
    """
    if not os.path.exists(folder / NAME):
        return ()
    try:
        return tuple(_sampling_in(read_object(folder / NAME, CONFIG)).items())
    except UntrustedJsonError as error:
        log.info("no recommendation is read from %s in %s: %s", NAME, folder, error)
        return ()


def _sampling_in(content: Mapping[str, Any]) -> dict[str, float]:
    if content.get("do_sample") is False:
        return {"temperature": 0.0}
    sampling: dict[str, float] = {}
    for name, (least, most) in _RANGES.items():
        value = content.get(name)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
            continue
        whole = name in ("top_k", "thinking_budget")
        if whole and value != int(value):
            continue
        sampling[name] = int(value) if whole else float(value)
    # transformers samples at temperature 1 if the file asks for sampling and gives no temperature.
    if content.get("do_sample") is True:
        sampling.setdefault("temperature", 1.0)
    return sampling
