"""The check of this Mac, what the system says and what was measured, as data; and the diagnostics file."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from msgspec import structs, to_builtins

from app.settings.declarations import SettingsValues
from app.settings.engine_settings import models_limit, speculation_of
from app.system.versions import installed_version, versions
from engine.bench.pair_check import PairCheck
from engine.machine.facts import MachineFacts
from engine.settings import DRAFT_AHEAD
from engine.stats import RequestStats

_PACKAGES = {"Tandem": "tandem-chat", "MLX": "mlx", "mlx-lm": "mlx-lm", "transformers": "transformers"}


def gather(
    facts: MachineFacts,
    values: SettingsValues,
    pair: PairCheck | None,
    problem: str = "",
    pair_times: float | None = None,
) -> dict[str, Any]:
    """Return the check as plain data for a page; it has no chat text.

    `pair` is what was measured of the loaded models, None if no speed was measured. `problem` is the sentence for its
    error, or why there is no pair; "" if there was none. `values` are the settings that `pair` was measured with.
    `pair_times` is the speed-up that all comparisons of the pair have shown, this check among them. It is not rounded
    here: one that is rounded twice may differ from what other places show.
    """
    memory = facts.memory
    speculation = speculation_of(values)
    return asdict(facts) | {
        "versions": {name: installed_version(package) for name, package in _PACKAGES.items()}
        | {"Python": platform.python_version()},
        "memory": {"total": memory.total, "free": memory.available if memory.known else None},
        "memory_for_models": models_limit(values, pair.memory_limit if pair else None, memory.total),
        "rounding": to_builtins(pair.rounding) if pair and pair.rounding else None,
        "speculation": {
            "method": speculation.method,
            "same_text": speculation.same_text,
            "draft_ahead": values.draft_ahead,
        },
        "models": {"main": pair.main, "draft": pair.draft or None} if pair else None,
        "speed": {
            "plain_tokens_per_second": _rounded(pair.plain_tps),
            "best_tokens_per_second": _rounded(pair.best_tps),
            "times": _rounded(pair.times, 2),
            "pair_times": pair_times,
            "accept_rate": _rounded(pair.accept_rate, 2),
            "identical": pair.identical,
            "answers": pair.answers,
            "ended": pair.ended,
        }
        if pair
        else None,
        "problem": problem or None,
    }


def report(checkup: dict[str, Any]) -> str:
    """Return a check as one JSON object to publish: without sentences, and without the names of folders.

    `checkup` is what `gather` returned. A model is named if it is the starter's or has a page on the Hub, whose names
    have a "/".
    """
    models = {role: name if name and "/" in name else None for role, name in (checkup["models"] or {}).items()}
    figures = {name: value for name, value in checkup.items() if name not in ("problem", "local_network")}
    if checkup["speculation"]["draft_ahead"] not in DRAFT_AHEAD:
        # Another computer, whose name is left out like those of folders.
        figures["speculation"] = checkup["speculation"] | {"draft_ahead": "elsewhere"}
    return json.dumps(figures | {"models": models or None}, ensure_ascii=False)


def _rounded(value: float | None, digits: int = 1) -> float | None:
    return None if value is None else round(value, digits)


# The file only says whether these are set: addresses may contain a name and a password.
_LEFT_OUT = ("hub_endpoint", "proxy")


def write_diagnostics(
    file: Path, values: SettingsValues, log: str, models: dict[str, Any], figures: Iterable[RequestStats]
) -> None:
    """Write versions, machine, settings, models, figures of the latest answers and the log, but no text of a chat.

    The user's home folder becomes "~". Raises OSError.
    """
    settings = {key: value for key, value in asdict(values).items() if key not in _LEFT_OUT}
    settings |= {key: bool(getattr(values, key)) for key in _LEFT_OUT}
    gathered = {
        "versions": versions(),
        "machine": {
            "system": platform.platform(),
            "processor": platform.processor() or platform.machine(),
            "python": platform.python_version(),
        },
        "settings": settings,
        "models": models,
        # The parts of an answer's schema that were not checked have the names that the chat gives its fields.
        "answers": [to_builtins(structs.replace(answer, unchecked=(), problems=())) for answer in figures],
        "record": log.splitlines(),
    }
    text = json.dumps(gathered, indent=1, ensure_ascii=False, default=str)
    file.write_text(text.replace(str(Path.home()), "~"), encoding="utf-8")
