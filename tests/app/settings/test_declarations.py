"""The table of settings is complete, and the engine accepts its values."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.settings.declarations import LANGUAGE_NAMES, RULES, SETTINGS, SettingsValues
from app.settings.engine_settings import engine_settings_of, sampling_of, speculation_of
from app.settings.setting import Setting
from app.system.language import LANGUAGES
from app.system.paths import answer_index_folder, learned_file, prefix_folder, taught_folder
from engine.files.system_memory import system_memory
from engine.methods import methods
from engine.requests import ACCEPTANCE_RULES, MAX_DEPTH, SamplingSettings, SpeculationSettings
from engine.settings import EngineSettings

SHOWN = [setting for setting in SETTINGS.values() if setting.page]
# The letters of two lines beside a control, in a settings window of the usual size.
TWO_LINES = 165


@pytest.mark.parametrize("setting", SHOWN, ids=lambda setting: setting.key)
def test_a_shown_setting_has_words_and_values_that_the_engine_takes(setting: Setting) -> None:
    assert setting.title
    assert 0 < len(setting.help) <= TWO_LINES
    assert setting.accepts(setting.default)
    values = [value for value, _ in setting.choices] or [setting.least, setting.most]
    for value in values:
        if isinstance(setting.default, (int, float, str)) and not isinstance(setting.default, bool):
            chosen = SettingsValues(**{setting.key: type(setting.default)(value)})
            assert sampling_of(chosen, {})
            assert speculation_of(chosen)
            assert engine_settings_of(chosen)


def test_defaults_are_those_of_the_engine() -> None:
    assert sampling_of(SettingsValues(), {"temperature": 0.0}) == SamplingSettings()
    assert speculation_of(SettingsValues()) == SpeculationSettings()
    ours, theirs = engine_settings_of(SettingsValues()), EngineSettings()
    assert 0 < ours.prefix_cache_bytes <= system_memory().total / 16
    paths = {
        "learned_file": learned_file(),
        "prefix_cache_folder": prefix_folder(),
        "answer_index_folder": answer_index_folder(),
        "taught_folder": taught_folder(),
    }
    kept = {"prefix_cache_bytes": ours.prefix_cache_bytes, **paths}
    assert ours == replace(theirs, context=SettingsValues().fit_context, **kept)


def test_the_choices_are_those_that_there_are() -> None:
    assert {value for value, _ in LANGUAGE_NAMES} == set(LANGUAGES)
    assert dict(SETTINGS["method"].choices).keys() == set(methods())
    assert {value for value, _ in RULES} == set(ACCEPTANCE_RULES)
    assert {value for value, _ in SETTINGS["theme"].choices} == {"system", "light", "dark"}
    assert SETTINGS["depth"].most == MAX_DEPTH
