"""Presets in the store, and what a chat's own settings mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.conversations.chat_settings import KEYS, GenerationSettings, filled, overrides_of
from app.conversations.presets import BUILT_IN, NEW_CHATS, Preset, preset_in_use
from app.settings.declarations import SETTINGS
from engine.requests import SamplingSettings, SpeculationSettings

if TYPE_CHECKING:
    from app.conversations.store import ConversationStore


def test_a_preset_is_kept_replaced_and_deleted(store: ConversationStore) -> None:
    store.presets.save("Short  answers", "Be brief.", {"temperature": 0.5})
    store.presets.save("Short answers", "Be very brief.", {"temperature": 0.0})
    assert store.presets.all() == [Preset("Short answers", "Be very brief.", {"temperature": 0.0})]
    store.presets.delete("Short answers")
    assert store.presets.all() == []


def test_what_new_chats_begin_with_is_no_preset_of_the_list(store: ConversationStore) -> None:
    assert store.presets.of_new_chats() == Preset("")
    store.presets.save(NEW_CHATS, "Be brief.", {"method": "off"})
    assert store.presets.of_new_chats() == Preset("", "Be brief.", {"method": "off"})
    assert store.presets.all() == []


def test_own_settings_change_the_defaults_where_they_say_so() -> None:
    defaults = GenerationSettings(SamplingSettings(temperature=0.7, seed=3), SpeculationSettings(same_text=True), 100)
    own = {"temperature": 0.0, "seed": -1, "depth": 0, "method": "off", "max_tokens": 0}
    assert defaults.with_overrides(own) == GenerationSettings(
        SamplingSettings(temperature=0.0), SpeculationSettings("off", None, same_text=True), None
    )
    assert defaults.with_overrides({}) == defaults
    assert defaults.with_overrides(defaults.values()) == defaults


def test_own_settings_that_cannot_be_used_are_left_out() -> None:
    stored = {"temperature": 1, "top_p": 7.0, "method": "magic", "depth": "3", "unknown": 1}
    assert overrides_of({"own": stored}) == {"temperature": 1.0}
    assert overrides_of({"own": [1]}) == {}
    assert overrides_of({}) == {}


def test_every_own_setting_is_one_of_the_settings_window() -> None:
    assert set(KEYS) <= set(SETTINGS)
    assert set(GenerationSettings().values()) == set(KEYS)


@pytest.mark.parametrize("preset", BUILT_IN, ids=lambda preset: preset.built_in)
def test_presets_that_come_along_are_told_by_their_values(preset: Preset) -> None:
    assert preset_in_use(BUILT_IN, preset.system_prompt, dict(preset.own)) is preset
    assert preset_in_use(BUILT_IN, "Something else", dict(preset.own)) is None


def test_variables_are_filled_in_and_unknown_ones_stay() -> None:
    prompt = "It is {{date}}, {{ weekday }}. {{nobody}} {date} {{"
    values = {"date": "2026-11-20", "weekday": "Friday"}
    assert filled(prompt, values) == "It is 2026-11-20, Friday. {{nobody}} {date} {{"
