"""The page of speculation: what the same text costs."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace

import pytest

from app.wording.models import pair_name
from engine.tuning import KeyRange, LearnedPair, Rounding
from tests.app.conftest import OpenShown
from tests.app.learned_figures import LEARNED
from tests.app.shown_library import DRAFT, MAIN, path_of


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
    assert not page.measure_again.isVisible()
    page.refresh()
    window.wait(page.measure_again.isVisible)
    page.measure_again.click()
    window.wait(lambda: not page.measure_again.isVisible())
    assert not engine.known


def test_the_measured_figure_of_the_models_in_use_stands_there(open_shown: OpenShown) -> None:
    window, _, engine = open_shown(pair=(path_of(MAIN), path_of(DRAFT)))
    engine.known = list(LEARNED)
    page = window.settings_page("speculation")
    page.refresh()
    row = next(row for row in page.rows if row.control is page.measure_again)
    window.wait(lambda: row.help.text() == "Updated as you chat and used to choose the draft length.")
    names = window.session.models.pair.names
    window.session.history.add_comparison(*names, 2.5)
    window.wait(lambda: row.help.text().startswith(f"{pair_name(*names)}: 2.5× as fast. Updated"))


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
