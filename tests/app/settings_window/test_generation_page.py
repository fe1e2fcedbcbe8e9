"""The page of generation: presets set their values."""

from __future__ import annotations

from tests.app.conftest import OpenShown


def test_a_preset_sets_its_values_and_is_marked_while_they_hold(open_shown: OpenShown) -> None:
    window, library, _ = open_shown()
    generation = window.settings_page("generation")
    generation.presets["balanced"].click()
    assert (library.settings.values.temperature, library.settings.values.top_p) == (0.7, 0.9)
    assert [name for name, button in generation.presets.items() if button.isChecked()] == ["balanced"]
    generation.control("temperature").setValue(0.8)
    assert not any(button.isChecked() for button in generation.presets.values())
