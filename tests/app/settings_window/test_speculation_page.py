"""The page of speculation: the settings of single pairs."""

from __future__ import annotations

from tests.app.conftest import OpenShown


def test_a_pair_gets_settings_of_its_own_and_loses_them(open_shown: OpenShown) -> None:
    window, library, _ = open_shown()
    speculation = window.settings_page("speculation")
    speculation.own.click()
    [shown] = speculation.pairs
    assert shown.name.text() == "Qwen3 8B + Qwen3 0.6B"
    assert not speculation.own.isVisible()
    shown.form.choosers["depth"].setCurrentIndex(shown.form.choosers["depth"].findData(3))
    shown.form.choosers["depth"].activated.emit(0)
    assert window.session.settings.speculation.depth == 3
    assert library.settings.values.depth == 0
    shown.remove.click()
    assert speculation.pairs == []
    assert speculation.own.isVisible()
    assert window.session.settings.speculation.depth is None
