"""The check of this Mac: what the system says and what was measured, as data and as a page; and the diagnostics file.

Without a window, and so in the terminal, the page is in English.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from msgspec import convert, to_builtins
from PySide6.QtCore import QCoreApplication

from app.settings.declarations import SettingsValues
from app.system.versions import OLD_MACOS, installed_version, versions
from engine.bench.pair_check import PairCheck
from engine.machine.facts import MachineFacts
from engine.requests import MAX_DEPTH
from engine.stats import RequestStats
from engine.tuning import Rounding

_PACKAGES = {"Tandem": "tandem-chat", "MLX": "mlx", "mlx-lm": "mlx-lm", "transformers": "transformers"}
translate = QCoreApplication.translate

_UNKNOWN = "Not reported by the system."
_POWER = {
    True: "Low Power Mode is on, which makes models slower.",
    False: "Low Power Mode is off.",
    None: _UNKNOWN,
}
_HEAT = {
    True: "This Mac is hot, which makes models slower.",
    False: "Heat does not slow models down.",
    None: _UNKNOWN,
}
_NETWORK = {
    "allowed": "Tandem can use it.",
    "denied": (
        "macOS does not let Tandem use it. For multiple Macs, turn on Tandem in System Settings > Privacy & Security "
        "> Local Network."
    ),
    "none": "This Mac is not connected to a network.",
}
_ROUNDED = {
    "none": "With draft tokens, rounding always differs from plain decoding.",
    "alike": "Up to {most} draft tokens per round, rounding stays the same, but differs from plain decoding.",
    "as-plain": "Up to {most} draft tokens per round, rounding is the same as in plain decoding.",
    "all": "At every draft length, rounding is the same as in plain decoding.",
}
_NOT_MEASURED = {
    "": "Not measured.",
    "stopped": "Stopped before it was measured.",
    "busy": "Not measured, because another answer was being written. Try again later.",
}

TEXTS = (*_POWER.values(), *_HEAT.values(), *_NETWORK.values(), *_ROUNDED.values(), *_NOT_MEASURED.values(), OLD_MACOS)
"""The English texts of the tables, of the translation context "Checkup"."""


def gather(facts: MachineFacts, pair: PairCheck | None, problem: str = "") -> dict[str, Any]:
    """Return the check as plain data for a report; it has no chat text and no paths.

    `pair` is None if no speed was measured. `problem` is the sentence for its error, or why there is no pair.
    """
    memory = facts.memory
    return {
        "chip": facts.chip,
        "system": facts.system,
        "needs_newer_macos": facts.needs_newer_macos,
        "versions": {name: installed_version(package) for name, package in _PACKAGES.items()}
        | {"Python": platform.python_version()},
        "memory": {"total": memory.total, "free": memory.available if memory.known else None},
        "low_power_mode": facts.low_power,
        "hot": facts.hot,
        "wired_limit_mb": facts.wired_limit_mb,
        "memory_for_models": pair.memory_limit or None if pair else None,
        "local_network": facts.local_network,
        "rounding": {**to_builtins(pair.rounding), "one_in": pair.rounding.one_in} if pair and pair.rounding else None,
        "models": {"main": pair.main, "draft": pair.draft or None} if pair else None,
        "speed": {
            "plain_tokens_per_second": _rounded(pair.plain_tps),
            "best_tokens_per_second": _rounded(pair.best_tps),
            "times": _rounded(pair.times, 2),
            "accept_rate": _rounded(pair.accept_rate, 2),
            "answers": pair.answers,
            "ended": pair.ended,
        }
        if pair
        else None,
        "problem": problem or None,
    }


def page(found: dict[str, Any]) -> str:
    """Return the check as a page in Markdown."""
    rows = [
        (translate("Checkup", "Chip"), found["chip"]),
        (translate("Checkup", "System"), _system(found)),
        (
            translate("Checkup", "Versions"),
            ", ".join(f"{name} {number}" for name, number in found["versions"].items() if number),
        ),
        (translate("Checkup", "Memory"), _memory(found)),
        (translate("Checkup", "Memory for models"), _for_models(found)),
        (translate("Checkup", "Power"), translate("Checkup", _POWER[found["low_power_mode"]])),
        (translate("Checkup", "Heat"), translate("Checkup", _HEAT[found["hot"]])),
        (translate("Checkup", "Local network"), translate("Checkup", _NETWORK[found["local_network"]])),
        (translate("Checkup", "Rounding"), _rounding(found["rounding"])),
        *_passes(found["rounding"]),
        *_speed(found),
    ]
    title = translate("Checkup", "Results of the check")
    line = translate("Checkup", "- {name}: {value}")
    return "\n".join([f"# {title}", "", *(line.format(name=name, value=value) for name, value in rows)]) + "\n"


def _system(found: dict[str, Any]) -> str:
    return " · ".join([found["system"], *([translate("Checkup", OLD_MACOS)] if found["needs_newer_macos"] else [])])


def _memory(found: dict[str, Any]) -> str:
    total, free = found["memory"]["total"], found["memory"]["free"]
    if free is None:
        text = translate("Checkup", "{total}. The system does not report how much of it is free.")
        return text.format(total=_size(total))
    text = translate("Checkup", "{total}, of which {free} is free.")
    return text.format(total=_size(total), free=_size(free))


def _for_models(found: dict[str, Any]) -> str:
    limit, wired = found["memory_for_models"], found["wired_limit_mb"]
    parts = [_size(limit)] if limit else []
    if wired:
        text = translate("Checkup", "iogpu.wired_limit_mb is set to {number}.")
        parts.append(text.format(number=wired))
    elif wired == 0:
        parts.append(translate("Checkup", "iogpu.wired_limit_mb is not set."))
    return " · ".join(parts) or translate("Checkup", _UNKNOWN)


def _rounding(rounding: dict[str, Any] | None) -> str:
    if rounding is None:
        return translate("Checkup", _NOT_MEASURED[""])
    usual = convert(rounding, Rounding).usual
    most = usual.most_rows - 1
    words = "as-plain" if usual.plain_rows == 1 else "alike"
    words = "none" if not most else "all" if words == "as-plain" and most >= MAX_DEPTH else words
    text = translate("Checkup", _ROUNDED[words]).format(most=most)
    if most:
        held = translate("Checkup", "This is true up to {keys} tokens of context.")
        text = _both(text, held.format(keys=usual.keys))
    if (count := rounding["one_in"]) is None:
        return text
    differ = translate("Checkup", "Otherwise about one token in {count} may differ.")
    return _both(text, differ.format(count=count))


def _passes(rounding: dict[str, Any] | None) -> list[tuple[str, str]]:
    """Say what the matrix products of a verify pass cost, if the weights are quantised."""
    cost = next((cost for cost in (rounding or {}).get("kernels", ()) if cost["rows"] == 4), None)
    if cost is None:
        return []
    if cost["used"]:
        text = translate(
            "Rounding",
            "Verifying 3 draft tokens costs as much as {ours} plain tokens with Tandem's kernels, and {mlx} with "
            "MLX's.",
        )
    else:
        text = translate("Rounding", "Verifying 3 draft tokens costs as much as {mlx} plain tokens.")
    rows = {name: f"{cost[name]:.1f}" for name in ("ours", "mlx") if cost[name] is not None}
    return [(translate("Checkup", "Verification"), text.format(**rows))]


def _speed(found: dict[str, Any]) -> list[tuple[str, str]]:
    models, speed = found["models"], found["speed"]
    plain, best = (
        translate("Checkup", "Plain decoding"),
        translate("Checkup", "With speculation"),
    )
    why = found["problem"] or translate("Checkup", _NOT_MEASURED[speed["ended"] if speed else ""])
    if models is None:
        return [(plain, why)]
    names = f"{models['main']} + {models['draft']}" if models["draft"] else models["main"]
    rows = [(translate("Checkup", "Models"), names)]
    if speed["plain_tokens_per_second"] is None:
        return [*rows, (plain, why)]
    per_second = translate("Checkup", "{speed} tokens/s")
    rows.append((plain, per_second.format(speed=speed["plain_tokens_per_second"])))
    text = translate("Checkup", "{speed} tokens/s, {times}× as fast.")
    words = text.format(speed=speed["best_tokens_per_second"], times=speed["times"])
    if speed["accept_rate"] is not None:
        rate = translate("Checkup", "{rate}% of the draft tokens were accepted.")
        words = _both(words, rate.format(rate=round(100 * speed["accept_rate"])))
    return [*rows, (best, words)]


def _both(first: str, second: str) -> str:
    """Join two sentences as the language does: Japanese and Chinese put no space between them."""
    return translate("Checkup", "{first} {second}").format(first=first, second=second)


def _rounded(value: float | None, digits: int = 1) -> float | None:
    return None if value is None else round(value, digits)


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB"


# The file only says whether these are set: addresses may contain a name and a password.
_LEFT_OUT = ("hub_endpoint", "proxy", "drafter_address")


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
        "answers": [to_builtins(one) for one in figures],
        "record": log.splitlines(),
    }
    text = json.dumps(gathered, indent=1, ensure_ascii=False, default=str)
    file.write_text(text.replace(str(Path.home()), "~"), encoding="utf-8")
