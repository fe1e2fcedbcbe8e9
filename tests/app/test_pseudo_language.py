"""A pseudo-language with texts that are at least 40 % longer: nothing is cut off at the smallest size, on any page."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QSize, QTranslator
from PySide6.QtWidgets import QComboBox, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from app.models.card import Card
from app.models.page import INSTALLED
from app.settings.declarations import PAGES
from app.settings_window.form import Form
from app.speculation.comparison import Comparer
from app.widgets.application import Application
from tests.app.conftest import OpenShown
from tests.app.cut_texts import cut_texts, wait_until_nothing_is_cut
from tests.app.shown_library import LARGER, downloading, stocked

_PLACEHOLDER = re.compile(r"(\{[^}]*\}|%Ln|</?b>)")


def longer(source: str) -> str:
    """Double every vowel outside of placeholders, and fill the text up to 140 % of its length."""
    parts = _PLACEHOLDER.split(source)
    text = "".join(part if index % 2 else re.sub("([aeiouAEIOU])", r"\1\1", part) for index, part in enumerate(parts))
    return text + "~" * max(0, math.ceil(1.4 * len(source)) - len(text))


class PseudoLanguage(QTranslator):
    def isEmpty(self) -> bool:
        return False

    def translate(self, _context: str, source: str, _comment: str | None = None, n: int = -1) -> str:
        return longer(source).replace("%Ln", str(n)) if n >= 0 else longer(source)


@pytest.fixture
def pseudo(qapp: Application) -> Iterator[None]:
    translator = PseudoLanguage()
    qapp.installTranslator(translator)
    yield
    qapp.removeTranslator(translator)


def cut_off(window: QWidget) -> list[str]:
    boxes = [box for box in window.findChildren(QComboBox) if box.isVisible()]
    return cut_texts(window) + [box.currentText() for box in boxes if box.minimumSizeHint().width() > box.width() + 1]


def cut_but_names(settings: QWidget) -> list[str]:
    """Return the texts that are cut off, without names of models, which may be elided."""
    names = {card.name.text() for card in settings.findChildren(Card)}
    return [text for text in cut_off(settings) if text not in names]


def test_a_text_grows_by_four_tenths_and_keeps_its_placeholders() -> None:
    assert longer("{name} of %Ln model(s)").startswith("{name} oof %Ln moodeel(s)")
    assert all(len(longer(text)) >= 1.4 * len(text) for text in ("Off", "Speculation", "Top p", "{a} b"))


@pytest.mark.full
@pytest.mark.usefixtures("pseudo")
def test_no_page_of_the_settings_cuts_a_text(open_shown: OpenShown, qtbot: QtBot) -> None:
    window, library, _ = open_shown()
    library.show(downloading(LARGER))
    settings = window.settings
    for size in (settings.minimumSize(), QSize(1080, 760)):
        settings.resize(size)
        for page_id in PAGES:
            settings.open(page_id)
            if page_id == "models":
                qtbot.waitUntil(lambda: any(card.isVisible() for card in settings.findChildren(Card)))
            page = settings.page(page_id)
            wait_until_nothing_is_cut(settings, qtbot, cut_but_names)
            if isinstance(page, Form):
                # When a scroll bar appears, the page follows a moment later.
                qtbot.waitUntil(lambda page=page: page.widget().width() <= page.viewport().width())


@pytest.mark.full
@pytest.mark.usefixtures("pseudo")
def test_window_and_comparison_cut_no_text(open_shown: OpenShown, qtbot: QtBot) -> None:
    window, _, _ = open_shown()
    for size in ((1440, 900), (900, 600)):
        window.resize(*size)
        wait_until_nothing_is_cut(window.window, qtbot, cut_off)
    window.ask("question")
    qtbot.waitUntil(lambda: window.answer().ended and window.is_enabled("compare"))
    for size in ((1440, 900), (560, 420)):
        window.resize(*size)
        window.trigger("compare")
        qtbot.waitUntil(lambda: not window.find(Comparer).running)
        wait_until_nothing_is_cut(window.comparison, qtbot, cut_off)
        window.comparison.close_overlay()


@pytest.mark.full
@pytest.mark.usefixtures("pseudo")
def test_a_very_long_name_of_a_model_is_shortened_in_its_card(open_shown: OpenShown) -> None:
    name = "A-Very-Long-Name-Of-A-Model-That-Somebody-Has-Merged-From-Many-Others-And-Quantised-Twice-4bit"
    stock = stocked()
    long_named = replace(stock.installed[0], name=name)
    window, library, _ = open_shown(replace(stock, installed=(long_named, *stock.installed[1:])))
    library.show(downloading(f"some-organisation/{name}", "failed"))
    settings = window.settings
    settings.resize(760, 600)
    settings.open("models")
    page = settings.page("models")
    page.show_tab(INSTALLED)

    def shortened() -> list[Card]:
        return [card for card in page.findChildren(Card) if card.isVisible() and len(card.name.text()) > 60]

    def is_shortened(card: Card) -> bool:
        page.findChild(QScrollArea).ensureWidgetVisible(card)
        inside = card.badge.geometry().right() <= card.width() <= page.width()
        return inside and card.name.toolTip() == card.name.text()

    window.wait(lambda: len(shortened()) == 2)
    # A page that was opened lists its models once more.
    for index in range(2):
        window.wait(lambda index=index: is_shortened(shortened()[index]))  # type: ignore[misc]
