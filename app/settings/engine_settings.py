"""The user's settings as the engine's, and the presets of sampling. No Qt in here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from app.settings.declarations import SETTINGS, SettingsValues
from app.system.paths import learned_file, prefix_folder
from engine.requests import SamplingSettings, SpeculationSettings
from engine.settings import EngineSettings

_GB = 10**9
# What `tandem drafter serve` on another computer asks for, in neither settings nor command lines.
SECRET_VARIABLE = "TANDEM_DRAFTER_SECRET"

# The values of the sampling settings by preset.
PRESETS: dict[str, dict[str, float | int]] = {
    "precise": {"temperature": 0.0, "top_p": 1.0, "top_k": 0, "min_p": 0.0, "repetition_penalty": 1.0},
    "balanced": {"temperature": 0.7, "top_p": 0.9, "top_k": 0, "min_p": 0.0, "repetition_penalty": 1.0},
    "creative": {"temperature": 1.0, "top_p": 1.0, "top_k": 0, "min_p": 0.05, "repetition_penalty": 1.0},
}


# The settings of sampling that a model's authors may recommend and that a preset sets.
SAMPLING_KEYS = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")
RECOMMENDED = "recommended"


def recommended_of(sampling: Iterable[tuple[str, float]]) -> dict[str, float]:
    """What a model's authors recommend, as far as the settings allow such values."""
    return {key: value for key, value in sampling if key in SAMPLING_KEYS and SETTINGS[key].accepts(value)}


def is_chosen(values: SettingsValues, key: str) -> bool:
    """Whether the person chose that setting of sampling, be it the default."""
    return key in values.kept_sampling or getattr(values, key) != SETTINGS[key].default


def choice_of_sampling(values: SettingsValues, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The settings to change when a person chooses values of sampling."""
    kept = {*values.kept_sampling, *chosen}
    return {**chosen, "kept_sampling": tuple(key for key in SAMPLING_KEYS if key in kept)}


def as_recommended() -> dict[str, Any]:
    """The settings to change when a person leaves sampling to the model's recommendation."""
    return {**{key: SETTINGS[key].default for key in SAMPLING_KEYS}, "kept_sampling": ()}


def sampling_values(values: SettingsValues, recommended: Mapping[str, float]) -> dict[str, Any]:
    """What is in force by key: what was chosen, else what the model's authors recommend, else the default."""
    return {
        key: getattr(values, key) if is_chosen(values, key) else recommended.get(key, SETTINGS[key].default)
        for key in SAMPLING_KEYS
    }


def sampling_of(values: SettingsValues, recommended: Mapping[str, float]) -> SamplingSettings:
    seed = None if values.seed < 0 else values.seed
    return SamplingSettings(**sampling_values(values, recommended), seed=seed)


def speculation_of(values: SettingsValues) -> SpeculationSettings:
    """Depth 0 leaves the depth to the controller; plain decoding is the method "off"."""
    return SpeculationSettings(method=values.method, depth=values.depth or None, acceptance=values.acceptance)


def longest_of(values: SettingsValues) -> int | None:
    """The most tokens of an answer; None for all that the context holds."""
    return values.max_tokens or None


def memory_limit_of(values: SettingsValues) -> int | None:
    """The bytes that the user lets models and chats take; None for what the system recommends."""
    return round(values.memory_limit_gb * _GB) or None


def engine_settings_of(values: SettingsValues) -> EngineSettings:
    """The engine's settings; bits, minutes and limits of 0 stand for the engine's own choice.

    The context that models have to fit with is the one the Models page calculates with.
    """
    return EngineSettings(
        overflow=values.overflow,
        kv_bits=values.kv_bits or None,
        draft_kv_bits=values.draft_kv_bits or None,
        unload_after_s=values.unload_after_min * 60.0 or None,
        prefix_cache_bytes=round(values.prefix_cache_gb * _GB),
        prefix_cache_folder=prefix_folder() if values.keep_prefixes else None,
        prefix_folder_bytes=round(values.prefix_folder_gb * _GB),
        memory_limit=memory_limit_of(values),
        allow_oversize=values.allow_oversize,
        context=values.fit_context,
        learned_file=learned_file(),
        async_drafter=values.async_drafter,
        drafter_address=values.drafter_address,
        drafter_secret=os.environ.get(SECRET_VARIABLE, "").strip(),
    )


def preset_in_use(values: SettingsValues) -> str:
    """The preset whose values were chosen, RECOMMENDED where none was, or ""."""
    if not any(is_chosen(values, key) for key in SAMPLING_KEYS):
        return RECOMMENDED
    for name, preset in PRESETS.items():
        if all(is_chosen(values, key) and getattr(values, key) == value for key, value in preset.items()):
            return name
    return ""
