"""Converts the user's settings to the engine's. No Qt in here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any

from app.settings.declarations import SETTINGS, SettingsValues, declared_in
from app.system.paths import answer_index_folder, learned_file, prefix_folder, taught_folder
from engine.requests import SamplingSettings, SpeculationSettings
from engine.settings import EngineSettings

_GB = 10**9
# The prefix cache may take this part of the computer's memory: a sixteenth.
_CACHE_SHARE = 16

# The sampling settings that a model's authors may recommend and that a preset sets.
SAMPLING_KEYS = tuple(key for key in declared_in(SamplingSettings) if key != "seed")
# Tandem's own, in the window, for a model whose authors recommend no temperature: always the likeliest token makes
# small models repeat themselves without end. Other apps use about the same.
OWN_SAMPLING = {"temperature": 0.7, "top_p": 0.95}


def recommended_of(sampling: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return what a model's authors recommend, without values that the settings do not allow."""
    return {key: value for key, value in sampling if key in SAMPLING_KEYS and SETTINGS[key].accepts(value)}


def own_sampling(recommended: Mapping[str, float]) -> dict[str, float]:
    """Return what Tandem adds to a recommendation: nothing to one with a temperature."""
    if "temperature" in recommended:
        return {}
    return {key: value for key, value in OWN_SAMPLING.items() if key not in recommended}


def is_chosen(values: SettingsValues, key: str) -> bool:
    """Whether the user chose this sampling setting; the chosen value may equal the default."""
    return key in values.kept_sampling or getattr(values, key) != SETTINGS[key].default


def choice_of_sampling(values: SettingsValues, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings to change when the user chooses sampling values."""
    sampling_keys = {*values.kept_sampling, *chosen}
    return {**chosen, "kept_sampling": tuple(key for key in SAMPLING_KEYS if key in sampling_keys)}


def sampling_values(values: SettingsValues, recommended: Mapping[str, float]) -> dict[str, Any]:
    """Return the values in effect: the user's choice, else the model's recommendation, else Tandem's own."""
    unchosen = {**own_sampling(recommended), **recommended}
    return {
        key: getattr(values, key) if is_chosen(values, key) else unchosen.get(key, SETTINGS[key].default)
        for key in SAMPLING_KEYS
    }


def sampling_of(values: SettingsValues, recommended: Mapping[str, float]) -> SamplingSettings:
    """Return the engine's sampling settings, with the values in effect (see `sampling_values`)."""
    return SamplingSettings(**_passed(SamplingSettings, replace(values, **sampling_values(values, recommended))))


def speculation_of(values: SettingsValues) -> SpeculationSettings:
    """Return the engine's settings of speculation; depth 0 leaves the depth to the controller."""
    return SpeculationSettings(**_passed(SpeculationSettings, values))


def none_values(record: type[Any]) -> dict[str, Any]:
    """Return what settings have instead of None, the engine's own choice: their least value."""
    allowed = {field.name for field in fields(record) if field.default is None}
    return {name: setting.least for name, setting in declared_in(record).items() if name in allowed}


def _passed(record: type[Any], values: SettingsValues) -> dict[str, Any]:
    """Return the fields of a record of the engine that are declared under the same name.

    Where the value is the one that stands for None (see `none_values`), the engine gets None.
    """
    none = none_values(record)
    values_by_name = {name: getattr(values, name) for name in declared_in(record)}
    return {name: None if name in none and value == none[name] else value for name, value in values_by_name.items()}


def memory_limit_of(values: SettingsValues) -> int | None:
    """Return the bytes that the user lets models and chats take; None for the system's recommendation."""
    return round(values.memory_limit_gb * _GB) or None


def models_limit(values: SettingsValues, engine_limit: int | None, total: int) -> int:
    """Return the bytes that models may use: the user's choice, what the running engine admits, or an estimate of that.

    `engine_limit` is None or 0 before an engine runs; `total` is the memory of the computer.
    """
    # Not at the top: the window's start imports this module.
    from engine.advice.fit import memory_for_models

    return memory_limit_of(values) or engine_limit or memory_for_models(total)


def engine_settings_of(values: SettingsValues) -> EngineSettings:
    """Return the engine's settings. A setting that both declare under one name passes as it is.

    Where the user's value is the least one, the engine gets None, its own choice. Models have to fit with the context
    of the Models page. The prefix cache takes up to a sixteenth of the memory.
    """
    return EngineSettings(
        **_passed(EngineSettings, values),
        unload_after_s=values.unload_after_min * 60.0 or None,
        draft_kv_bits=values.kv_bits or None,
        prefix_cache_bytes=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // _CACHE_SHARE,
        prefix_cache_folder=prefix_folder() if values.keep_prefixes else None,
        answer_index_folder=answer_index_folder() if values.earlier_chats else None,
        memory_limit=memory_limit_of(values),
        context=values.fit_context,
        learned_file=learned_file(),
        taught_folder=taught_folder(),
    )
