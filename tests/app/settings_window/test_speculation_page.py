"""The page of speculation: the settings of single pairs."""

from __future__ import annotations

from dataclasses import replace

from engine.tuning import KeyRange, Rounding
from tests.app.conftest import OpenShown
from tests.app.learned_figures import LEARNED, SHORT


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


def test_the_switch_for_the_same_text_says_what_it_costs_and_holds_for_every_pair(open_shown: OpenShown) -> None:
    window, library, engine = open_shown()
    cost = replace(SHORT, same_text_cost=0.2)
    engine.known = [replace(LEARNED[1], rounding=Rounding((KeyRange(1117, 2, 8),), 0.1), contexts=(cost,))]
    page = window.settings_page("speculation")
    page.learned.refresh()
    row = next(row for row in page.rows if row.control is page.control("same_text"))
    window.wait(lambda: "up to 7 draft tokens" in row.help.text())
    assert row.name.text() == "Always the same text with and without speculation"
    assert "about 20%" in row.help.text()
    assert page.show_matching("same text")
    page.own.click()
    page.control("same_text").click()
    assert library.settings.values.same_text
    # The pair's own settings do not hide it.
    assert window.session.settings.speculation.same_text
