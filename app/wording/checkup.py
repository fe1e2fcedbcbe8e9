"""The check of this Mac as a page. Without a window, and so in the terminal, it is in English."""

from __future__ import annotations

from typing import Any

from msgspec import convert

from app.conversations.measured import is_gain
from app.settings.declarations import SETTINGS
from app.system.paths import in_bundle
from app.system.versions import OLD_MACOS
from app.wording import figures
from app.wording.ahead import place_words
from app.wording.errors import joined
from app.wording.rounding import (
    is_always_equal,
    measured_rounding_sentence,
    rounding_sentence,
    verification_sentence,
)
from app.wording.sentences import Sentences, translate
from engine.tuning import Rounding

_UNKNOWN = "Not reported by the system."
SYSTEM = Sentences("Checkup", {"old": OLD_MACOS, "unknown": _UNKNOWN})
# By how Tandem was installed.
ACCELERATORS = Sentences(
    "Checkup",
    {
        "app": (
            "The neural accelerators of this chip are not used, because this app was built for older versions of "
            "macOS. Tandem for macOS 26.2 or newer processes prompts several times as fast."
        ),
        "pip": (
            "The neural accelerators of this chip are not used, because the installed MLX was built for older versions "
            "of macOS. To process prompts several times as fast, run this command in Tandem's folder and open Tandem "
            "again: {command}"
        ),
    },
)
# The step of the README that installs MLX, again and for the macOS that is there.
_INSTALL_MLX = (
    "SYSTEM_VERSION_COMPAT=0 .venv/bin/pip install -q --force-reinstall --no-deps -c packaging/constraints.txt "
    "mlx mlx-metal"
)
_INSTALL_OPENBLAS = "sudo apt-get install libopenblas0-pthread"
# By the values in the report.
POWER = Sentences(
    "Checkup",
    {"True": "Low Power Mode is on, which makes models slower.", "False": "Low Power Mode is off.", "None": _UNKNOWN},
)
HEAT = Sentences(
    "Checkup",
    {
        "True": "This Mac is hot, which makes models slower.",
        "False": "Heat does not slow models down.",
        "None": _UNKNOWN,
    },
)
NETWORK = Sentences(
    "Checkup",
    {
        "allowed": "Tandem can use it.",
        "denied": (
            "macOS does not let Tandem use it. For multiple Macs, turn on Tandem in System Settings > Privacy & "
            "Security > Local Network."
        ),
        "none": "This Mac is not connected to a network.",
    },
)
NOT_MEASURED = Sentences(
    "Checkup",
    {
        "": "Not measured.",
        "stopped": "Stopped before it was measured.",
        "busy": "Not measured, because another answer was being written. Try again later.",
    },
)


def page(checkup: dict[str, Any]) -> str:
    """Return the results of a check (app/settings/checkup.py) as a page in Markdown."""
    slow = f" · {accelerators_sentence()}" if checkup["lacks_accelerator_kernels"] else ""
    old = f" · {SYSTEM['old']}" if checkup["needs_newer_macos"] else ""
    versions = [f"{name} {number}" for name, number in checkup["versions"].items() if number]
    rows = [
        (translate("Checkup", "Chip"), f"{checkup['chip']}{slow}"),
        (translate("Checkup", "System"), f"{checkup['system']}{old}"),
        (translate("Checkup", "Versions"), ", ".join(versions)),
        *_blas(checkup),
        (translate("Checkup", "Memory"), _memory(checkup)),
        (translate("Checkup", "Memory for models"), _for_models(checkup)),
        (translate("Checkup", "Power"), POWER[str(checkup["low_power_mode"])]),
        (translate("Checkup", "Heat"), HEAT[str(checkup["hot"])]),
        (translate("Checkup", "Local network"), NETWORK[checkup["local_network"]]),
        *_rounding(checkup),
        *_speed(checkup),
    ]
    title = translate("Checkup", "Results of the check")
    line = translate("Checkup", "- {name}: {value}")
    return "\n".join([f"# {title}", "", *(line.format(name=name, value=value) for name, value in rows)]) + "\n"


def accelerators_sentence() -> str:
    """Return words that say that the chip's neural accelerators are not used, and what changes that."""
    return ACCELERATORS["app" if in_bundle() else "pip"].format(command=_INSTALL_MLX)


def _blas(checkup: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the row on what multiplies matrices, as (name, sentence); none on a Mac."""
    blas = checkup["blas"]
    if blas is None:
        return []
    if blas.startswith("reference"):
        slow = translate(
            "Checkup",
            "Slow, because OpenBLAS could not be loaded. On Debian and Ubuntu, this command installs it: {command}",
        )
        blas = slow.format(command=_INSTALL_OPENBLAS)
    return [(translate("Checkup", "Matrix products"), blas)]


def _memory(checkup: dict[str, Any]) -> str:
    """Return words that say how much memory the computer has, and how much of it is free."""
    total = checkup["memory"]["total"]
    free = checkup["memory"]["free"]
    text = translate("Checkup", "{total}, of which {free} is free.")
    if free is None:
        text = translate("Checkup", "{total}. The system does not report how much of it is free.")
    return text.format(total=_size(total), free=_size(free or 0))


def _for_models(checkup: dict[str, Any]) -> str:
    """Return words that say how much memory models may use, and what the system's limit is set to."""
    limit = checkup["memory_for_models"]
    wired = checkup["wired_limit_mb"]
    words = translate("Checkup", "iogpu.wired_limit_mb is not set.")
    if wired:
        words = translate("Checkup", "iogpu.wired_limit_mb is set to {number}.").format(number=wired)
    return _size(limit) if wired is None else f"{_size(limit)} · {words}"


def _rounding(checkup: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the rows on rounding and on the cost of verification, each as (name, sentence).

    They say how the loaded model's passes are rounded, what that means with the settings of the check, and what
    verifying costs if its weights are quantised.
    """
    name = translate("Checkup", "Rounding")
    if checkup["rounding"] is None:
        return [(name, NOT_MEASURED[""])]
    rounding = convert(checkup["rounding"], Rounding)
    main = checkup["models"]["main"]
    speculation = checkup["speculation"]
    if speculation["same_text"]:
        words = rounding_sentence(main, rounding)
    else:
        words = measured_rounding_sentence(main, rounding)
        if speculation["method"] != "off" and not is_always_equal(rounding):
            off = translate(
                "Checkup",
                "“Always the same text with and without speculation” is off, so the text may differ by rounding.",
            )
            words = joined(words, off)
    rows = [(name, words)]
    if cost := verification_sentence(rounding):
        rows.append((translate("Checkup", "Verification"), cost))
    return rows


def _speed(checkup: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the rows on the speed, each as (name, sentence), or why it was not measured."""
    models = checkup["models"]
    speed = checkup["speed"]
    plain = translate("Checkup", "Plain decoding")
    best = translate("Checkup", "With speculation")
    why = checkup["problem"] or NOT_MEASURED[speed["ended"] if speed else ""]
    if models is None:
        return [(plain, why)]
    names = f"{models['main']} + {models['draft']}" if models["draft"] else models["main"]
    ahead = SETTINGS["draft_ahead"]
    rows = [
        (translate("Checkup", "Models"), names),
        (translate("Settings", ahead.title), place_words(checkup["speculation"]["draft_ahead"])),
    ]
    if speed["plain_tokens_per_second"] is None:
        return [*rows, (plain, why)]
    per_second = translate("Checkup", "{speed} tokens/s")
    rows.append((plain, per_second.format(speed=figures.speed(speed["plain_tokens_per_second"]))))
    return [*rows, (best, _speculative_speed(checkup["speculation"]["method"], speed))]


def _speculative_speed(method: str, speed: dict[str, Any]) -> str:
    """Return words that say how fast the pair was with speculation, and whether that is faster."""
    if method == "off":
        return translate("Checkup", "Speculation is off in the settings.")
    if speed["accept_rate"] is None:
        return translate("Checkup", "No draft tokens were used.")
    times = speed["pair_times"]
    with_gain = translate("Checkup", "{speed} tokens/s, {gain}.")
    without = translate("Checkup", "{speed} tokens/s.")
    best = figures.speed(speed["best_tokens_per_second"])
    words = (without if times is None else with_gain).format(speed=best, gain=figures.as_fast(times))
    if times is not None and not is_gain(times):
        words = joined(words, translate("Checkup", "That is not noticeably faster than plain decoding."))
    rate = translate("Checkup", "{rate}% of the draft tokens were accepted.")
    return joined(words, rate.format(rate=round(100 * speed["accept_rate"])))


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB"
