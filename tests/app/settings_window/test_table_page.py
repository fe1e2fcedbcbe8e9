"""The pages made from the declared settings."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QKeySequenceEdit

from app.widgets.application import Application
from app.widgets.controls import NumberOrWord
from app.widgets.layouts import settle_layouts
from tests.app.conftest import EACH_LANGUAGE, OpenShown, OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.window_driver import WindowDriver


def test_a_page_goes_back_to_its_defaults(open_settings: OpenShown) -> None:
    window, library, _ = open_settings()
    generation = window.settings_page("generation")
    assert not generation.reset.isVisible()
    library.settings.change(temperature=0.3, kv_bits=4, theme="dark")
    assert generation.reset.isVisible()
    generation.reset.click()
    values = library.settings.values
    assert (values.temperature, values.kv_bits, values.theme) == (0.0, 0, "dark")
    assert generation.control("temperature").value() == 0.7
    assert not generation.reset.isVisible()
    page = window.settings_page("general")
    language, theme = page.control("language"), page.control("theme")
    for control, value in ((language, "ja"), (theme, "dark")):
        control.setCurrentIndex(control.findData(value))
        control.activated.emit(control.currentIndex())
    assert (library.settings.values.language, library.settings.values.theme) == ("ja", "dark")
    library.settings.change(theme="light")
    assert theme.currentData() == "light"
    # A field takes effect when it is left.
    mirror = window.settings_page("network").control("hub_endpoint")
    mirror.setText(" https://mirror.example ")
    mirror.editingFinished.emit()
    assert library.settings.values.hub_endpoint == "https://mirror.example"


def test_the_way_back_to_the_defaults_is_beside_the_title_of_every_page(open_settings: OpenShown) -> None:
    window, library, _ = open_settings()
    library.settings.change(send_key="modifier", api_port=9000, machines="mini.local", keep_prefixes=False)
    for name in ("general", "api", "machines", "storage"):
        page = window.settings_page(name)
        window.settle()
        assert page.reset.isVisible()
        title = page.title.geometry()
        assert title.top() <= page.reset.geometry().center().y() <= title.bottom()
        assert page.reset.x() > title.x()


RARE = {
    "speculation": ["Draft tokens per round", "Acceptance rule"],
    "generation": ["Min p", "Repetition penalty", "KV cache"],
    "network": ["Mirror", "Proxy"],
    "api": ["Allowed web origins"],
}


def test_rare_settings_are_folded_until_they_are_wanted_or_changed(open_settings: OpenShown) -> None:
    window, library, _ = open_settings()
    library.settings.change(proxy="http://proxy:8080")
    for name, rare in RARE.items():
        page = window.settings_page(name)
        rows = [row for row in page.rows if row.name.text() in rare]
        assert [row.name.text() for row in rows] == rare
        assert all(row.isVisible() for row in rows) is (name == "network")
        page.more.click()
        assert all(row.isVisible() for row in rows) is (name != "network")
    # The reset reaches what is folded.
    network = window.settings_page("network")
    network.reset.click()
    assert library.settings.values.proxy == ""


def test_a_newcomer_reads_what_drafts_do_and_a_search_finds_what_is_folded(open_settings: OpenShown) -> None:
    window, _, _ = open_settings()
    page = window.settings_page("speculation")
    shown = [row.name.text() for row in page.rows if row.isVisible()]
    assert shown[0] == "Faster answers"
    assert "Draft tokens per round" not in shown
    for words in ("draft tokens", "draft"):
        window.settings.search.setText(words)
        assert page.row_of("depth").isVisible()
    assert page.row_of("method").isVisible()


@pytest.mark.parametrize("language", EACH_LANGUAGE)
def test_the_controls_of_a_page_begin_and_end_at_one_place(
    open_settings: OpenShown, qapp: Application, language: str
) -> None:
    window, library, _ = open_settings()
    qapp.language.choose(language)
    library.settings.change(machines="studio.local")
    window.settings.resize(1200, 820)
    for name in ("general", "speculation", "generation", "advanced"):
        page = window.settings_page(name)
        page.more.setChecked(True)
        settle_layouts()
        controls = [row.control for row in page.rows if row.control is not None and row.control.isVisible()]
        boxes = [
            one for one in controls if isinstance(one, QComboBox | QAbstractSpinBox | QKeySequenceEdit | NumberOrWord)
        ]
        assert len(boxes) > 1
        assert len({one.mapTo(page, QPoint(0, 0)).x() for one in boxes}) == 1, name
        assert len({one.mapTo(page, one.rect().topRight()).x() for one in controls}) == 1, name


def test_pages_whose_settings_wait_for_the_next_answer_say_so(open_settings: OpenShown) -> None:
    window, _, _ = open_settings()
    for page, waits in (("speculation", True), ("generation", True), ("network", False)):
        note = window.settings_page(page).note
        assert ("next answer" in note.text() and not note.isHidden()) is waits


QWEN = (("temperature", 0.6), ("top_p", 0.95), ("top_k", 20))


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine([Script("Yes.")], recommended=QWEN)


@pytest.fixture
def window(open_window: OpenWindow, engine: ScriptedEngine) -> WindowDriver:
    return open_window(engine)


@pytest.mark.full
def test_where_nothing_was_chosen_answers_are_sampled_as_the_model_recommends_and_drawn_anew(
    window: WindowDriver, engine: ScriptedEngine
) -> None:
    window.ask_and_wait("question")
    sampling = engine.requests[-1].sampling
    assert (sampling.temperature, sampling.top_p, sampling.top_k, sampling.min_p) == (0.6, 0.95, 20, 0.0)
    assert engine.requests[-1].max_tokens is None
    window.trigger("ask-again")
    window.wait_until_answered()
    assert engine.requests[-1].sampling.temperature == 0.6
    assert engine.requests[-1].sampling.seed is None
    window.trigger("chat-settings")
    sheet = window.chat_settings
    assert sheet.recommendation.text().startswith("Recommended for main")
    assert sheet.rows["temperature"].control.value() == 0.6
    sheet.rows["temperature"].control.setValue(0.0)
    window.ask_and_wait("question")
    assert engine.requests[-1].sampling.temperature == 0.0


def test_the_page_shows_the_recommendation_and_what_was_chosen_over_it(
    window: WindowDriver, engine: ScriptedEngine, qapp: Application
) -> None:
    page = window.settings_page("generation")
    assert page.recommendation.text() == "Recommended for main: Temperature 0.60 · Top p 0.95 · Top k 20"
    assert page.control("temperature").value() == 0.6
    page.control("temperature").setValue(0.0)
    window.ask_and_wait("question")
    assert (engine.requests[-1].sampling.temperature, engine.requests[-1].sampling.top_k) == (0.0, 20)
    page.reset.click()
    assert page.control("temperature").value() == 0.6
    qapp.language.choose("ko")
    qapp.processEvents()
    assert "main" in page.recommendation.text()
    assert not page.recommendation.text().startswith("Recommended")


@pytest.mark.full
@pytest.mark.parametrize(
    ("recommended", "expected", "words"),
    [
        ((), (0.7, 0.95, 0), "Tandem's own for main: Temperature 0.70 · Top p 0.95"),
        (
            (("top_k", 20), ("top_p", 0.8)),
            (0.7, 0.8, 20),
            "Recommended for main: Top k 20 · Top p 0.80\nTandem's own for main: Temperature 0.70",
        ),
        ((("temperature", 0.0),), (0.0, 1.0, 0), "Recommended for main: Temperature 0.00"),
        pytest.param(
            (("temperature", 1.0),), (1.0, 1.0, 0), "Recommended for main: Temperature 1.00", marks=pytest.mark.full
        ),
    ],
)
def test_where_no_temperature_is_recommended_tandem_has_one_of_its_own_and_says_so(
    open_window: OpenWindow, recommended: Any, expected: tuple[float, float, int], words: str
) -> None:
    engine = ScriptedEngine([Script("Yes.")], recommended=recommended)
    window = open_window(engine)
    page = window.settings_page("generation")
    assert page.recommendation.text() == words
    assert page.control("temperature").value() == expected[0]
    window.ask_and_wait("question")
    sampling = engine.requests[-1].sampling
    assert (sampling.temperature, sampling.top_p, sampling.top_k) == expected
