"""The check of this Mac: what the system says and what was measured, as data and as a page. No Qt in here."""

from __future__ import annotations

import platform
from collections.abc import Callable
from typing import Any

from msgspec import convert, to_builtins

from app.system.translatable import QT_TRANSLATE_NOOP
from app.system.versions import OLD_MACOS, installed_version
from engine.bench.pair_check import PairCheck
from engine.machine.facts import MachineFacts
from engine.requests import MAX_DEPTH
from engine.tuning import Rounding

_PACKAGES = {"Tandem": "tandem-chat", "MLX": "mlx", "mlx-lm": "mlx-lm", "transformers": "transformers"}
_UNKNOWN = QT_TRANSLATE_NOOP("Checkup", "Not reported by the system.")
_POWER = {
    True: QT_TRANSLATE_NOOP("Checkup", "Low Power Mode is on, which makes models slower."),
    False: QT_TRANSLATE_NOOP("Checkup", "Low Power Mode is off."),
    None: _UNKNOWN,
}
_HEAT = {
    True: QT_TRANSLATE_NOOP("Checkup", "This Mac is hot, which makes models slower."),
    False: QT_TRANSLATE_NOOP("Checkup", "Heat does not slow models down."),
    None: _UNKNOWN,
}
_NETWORK = {
    "allowed": QT_TRANSLATE_NOOP("Checkup", "Tandem can use it."),
    "denied": QT_TRANSLATE_NOOP(
        "Checkup",
        "macOS does not let Tandem use it. For multiple Macs, turn on Tandem in System Settings > Privacy & Security "
        "> Local Network.",
    ),
    "none": QT_TRANSLATE_NOOP("Checkup", "This Mac is not connected to a network."),
}
_ROUNDED = {
    "none": QT_TRANSLATE_NOOP("Checkup", "With draft tokens, rounding always differs from plain decoding."),
    "alike": QT_TRANSLATE_NOOP(
        "Checkup", "Up to {most} draft tokens per round, rounding stays the same, but differs from plain decoding."
    ),
    "as-plain": QT_TRANSLATE_NOOP(
        "Checkup", "Up to {most} draft tokens per round, rounding is the same as in plain decoding."
    ),
    "all": QT_TRANSLATE_NOOP("Checkup", "At every draft length, rounding is the same as in plain decoding."),
}
_NOT_MEASURED = {
    "": QT_TRANSLATE_NOOP("Checkup", "Not measured."),
    "stopped": QT_TRANSLATE_NOOP("Checkup", "Stopped before it was measured."),
    "busy": QT_TRANSLATE_NOOP("Checkup", "Not measured, because another answer was being written. Try again later."),
}


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


def page(found: dict[str, Any], translate: Callable[[str], str] = str) -> str:
    """Return the check as a page in Markdown; `translate` translates texts of the context "Checkup"."""
    rows = [
        (translate(QT_TRANSLATE_NOOP("Checkup", "Chip")), found["chip"]),
        (translate(QT_TRANSLATE_NOOP("Checkup", "System")), _system(found, translate)),
        (
            translate(QT_TRANSLATE_NOOP("Checkup", "Versions")),
            ", ".join(f"{name} {number}" for name, number in found["versions"].items() if number),
        ),
        (translate(QT_TRANSLATE_NOOP("Checkup", "Memory")), _memory(found, translate)),
        (translate(QT_TRANSLATE_NOOP("Checkup", "Memory for models")), _for_models(found, translate)),
        (translate(QT_TRANSLATE_NOOP("Checkup", "Power")), translate(_POWER[found["low_power_mode"]])),
        (translate(QT_TRANSLATE_NOOP("Checkup", "Heat")), translate(_HEAT[found["hot"]])),
        (translate(QT_TRANSLATE_NOOP("Checkup", "Local network")), translate(_NETWORK[found["local_network"]])),
        (translate(QT_TRANSLATE_NOOP("Checkup", "Rounding")), _rounding(found["rounding"], translate)),
        *_speed(found, translate),
    ]
    title = translate(QT_TRANSLATE_NOOP("Checkup", "Results of the check"))
    line = translate(QT_TRANSLATE_NOOP("Checkup", "- {name}: {value}"))
    return "\n".join([f"# {title}", "", *(line.format(name=name, value=value) for name, value in rows)]) + "\n"


def _system(found: dict[str, Any], translate: Callable[[str], str]) -> str:
    return " · ".join([found["system"], *([translate(OLD_MACOS)] if found["needs_newer_macos"] else [])])


def _memory(found: dict[str, Any], translate: Callable[[str], str]) -> str:
    total, free = found["memory"]["total"], found["memory"]["free"]
    if free is None:
        text = translate(QT_TRANSLATE_NOOP("Checkup", "{total}. The system does not report how much of it is free."))
        return text.format(total=_size(total))
    text = translate(QT_TRANSLATE_NOOP("Checkup", "{total}, of which {free} is free."))
    return text.format(total=_size(total), free=_size(free))


def _for_models(found: dict[str, Any], translate: Callable[[str], str]) -> str:
    limit, wired = found["memory_for_models"], found["wired_limit_mb"]
    parts = [_size(limit)] if limit else []
    if wired:
        text = translate(QT_TRANSLATE_NOOP("Checkup", "iogpu.wired_limit_mb is set to {number}."))
        parts.append(text.format(number=wired))
    elif wired == 0:
        parts.append(translate(QT_TRANSLATE_NOOP("Checkup", "iogpu.wired_limit_mb is not set.")))
    return " · ".join(parts) or translate(_UNKNOWN)


def _rounding(rounding: dict[str, Any] | None, translate: Callable[[str], str]) -> str:
    if rounding is None:
        return translate(_NOT_MEASURED[""])
    usual = convert(rounding, Rounding).usual
    most = usual.most_rows - 1
    words = "as-plain" if usual.plain_rows == 1 else "alike"
    words = "none" if not most else "all" if words == "as-plain" and most >= MAX_DEPTH else words
    text = translate(_ROUNDED[words]).format(most=most)
    if most:
        held = translate(QT_TRANSLATE_NOOP("Checkup", "This holds up to {keys} tokens of context."))
        text = _both(text, held.format(keys=usual.keys), translate)
    if (count := rounding["one_in"]) is None:
        return text
    differ = translate(QT_TRANSLATE_NOOP("Checkup", "Otherwise about one token in {count} may differ."))
    return _both(text, differ.format(count=count), translate)


def _speed(found: dict[str, Any], translate: Callable[[str], str]) -> list[tuple[str, str]]:
    models, speed = found["models"], found["speed"]
    plain, best = (
        translate(QT_TRANSLATE_NOOP("Checkup", "Plain decoding")),
        translate(QT_TRANSLATE_NOOP("Checkup", "With speculation")),
    )
    why = found["problem"] or translate(_NOT_MEASURED[speed["ended"] if speed else ""])
    if models is None:
        return [(plain, why)]
    names = f"{models['main']} + {models['draft']}" if models["draft"] else models["main"]
    rows = [(translate(QT_TRANSLATE_NOOP("Checkup", "Models")), names)]
    if speed["plain_tokens_per_second"] is None:
        return [*rows, (plain, why)]
    per_second = translate(QT_TRANSLATE_NOOP("Checkup", "{speed} tokens/s"))
    rows.append((plain, per_second.format(speed=speed["plain_tokens_per_second"])))
    text = translate(QT_TRANSLATE_NOOP("Checkup", "{speed} tokens/s, {times}× as fast."))
    words = text.format(speed=speed["best_tokens_per_second"], times=speed["times"])
    if speed["accept_rate"] is not None:
        rate = translate(QT_TRANSLATE_NOOP("Checkup", "{rate}% of the draft tokens were accepted."))
        words = _both(words, rate.format(rate=round(100 * speed["accept_rate"])), translate)
    return [*rows, (best, words)]


def _both(first: str, second: str, translate: Callable[[str], str]) -> str:
    """Join two sentences as the language does: Japanese and Chinese put no space between them."""
    return translate(QT_TRANSLATE_NOOP("Checkup", "{first} {second}")).format(first=first, second=second)


def _rounded(value: float | None, digits: int = 1) -> float | None:
    return None if value is None else round(value, digits)


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB"
