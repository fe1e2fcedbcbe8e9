"""The page of speculation: what the same text costs."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace

import pytest

from engine.tuning import KeyRange, LearnedPair, Rounding
from tests.app.conftest import OpenShown
from tests.app.learned_figures import LEARNED


def test_the_switch_for_the_same_text_says_what_it_costs(open_shown: OpenShown) -> None:
    window, library, engine = open_shown()
    engine.known = [replace(LEARNED[1], rounding=Rounding((KeyRange(1117, 8),)), same_text_cost=0.2)]
    page = window.settings_page("speculation")
    page.refresh()
    row = next(row for row in page.rows if row.control is page.control("same_text"))
    window.wait(lambda: "up to 7 draft tokens" in row.help.text())
    assert row.name.text() == "Always the same text with and without speculation"
    assert "about 20%" in row.help.text()
    assert page.show_matching("same text")
    page.control("same_text").click()
    assert library.settings.values.same_text
    assert window.session.settings.speculation.same_text


def test_what_was_measured_is_measured_again(open_shown: OpenShown) -> None:
    window, _, engine = open_shown()
    engine.known = list(LEARNED)
    page = window.settings_page("speculation")
    assert not page.measure_again.isEnabled()
    page.refresh()
    window.wait(page.measure_again.isEnabled)
    page.measure_again.click()
    window.wait(lambda: not page.measure_again.isEnabled())
    assert not engine.known


def test_nothing_is_said_of_measurements_before_the_engine_has_told(
    open_shown: OpenShown, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, _, engine = open_shown()
    # It may be writing an answer, or measuring.
    told: Future[tuple[LearnedPair, ...]] = Future()
    monkeypatch.setattr(engine, "learned", lambda: told)
    page = window.settings_page("speculation")
    row = next(row for row in page.rows if row.control is page.measure_again)
    assert row.help.isHidden()
    told.set_result(())
    window.wait(lambda: row.help.text() == "No measurements yet. Load models and chat.")
