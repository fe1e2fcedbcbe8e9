"""The settings window: its pages, the search over them, and the names of all controls."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QWidget,
)

from app.settings.declarations import PAGES, SETTINGS, settings_of
from app.settings_window.advanced_page import AdvancedPage
from app.settings_window.form import Form
from app.widgets.application import Application
from app.widgets.banner import Notice
from tests.app.conftest import OpenShown
from tests.app.shown_library import DRAFT, LARGER, downloading
from tests.engine.tiers import by_tier


def listed(window: Any) -> list[str]:
    pages = window.settings.findChild(QListWidget)
    items = [pages.item(index) for index in range(pages.count())]
    return [item.data(Qt.ItemDataRole.UserRole) or item.text() for item in items if not item.isHidden()]


# The other one is opened from Advanced.
USUAL = [page_id for page_id in PAGES if page_id != "machines"]


def test_the_page_of_other_macs_is_listed_while_it_is_of_use(open_settings: OpenShown) -> None:
    window, library, _ = open_settings()
    window.settings.open("advanced")
    assert [page for page in listed(window) if page != "Developer"] == USUAL
    window.settings.search.setText("Multiple Macs")
    assert "machines" in listed(window)
    window.settings.search.clear()
    advanced = window.settings.page("advanced")
    assert isinstance(advanced, AdvancedPage)
    advanced.machines.click()
    assert window.settings.page("machines").isVisible()
    assert "machines" in listed(window)
    library.settings.change(machines="studio.local")
    window.settings.open("general")
    assert "machines" in listed(window)
    assert advanced.machines_row.isHidden()


@pytest.mark.first
def test_every_shown_setting_is_on_its_page_and_follows_the_file(open_settings: OpenShown) -> None:
    window, library, _ = open_settings()
    shown = {setting.key for page_id in PAGES for setting in settings_of(page_id)}
    assert shown == {setting.key for setting in SETTINGS.values() if setting.page}
    generation = window.settings_page("generation")
    library.settings.change(temperature=0.3, top_k=40)
    assert generation.control("temperature").value() == 0.3
    assert generation.control("top_k").box.value() == 40
    generation.control("temperature").setValue(0.5)
    assert library.settings.values.temperature == 0.5


def test_a_search_lists_the_pages_that_hold_the_words_and_shows_the_rows(
    open_settings: OpenShown, qapp: Application
) -> None:
    window, _, _ = open_settings()
    window.settings.open("general")
    window.settings.search.setText("proxy")
    assert listed(window) == ["network"]
    network = window.settings.page("network")
    assert network.isVisible()
    assert [row.name.text() for row in network.rows if not row.isHidden()] == ["Proxy", "Connection"]
    window.settings.search.clear()
    assert [found for found in listed(window) if found != "Developer"] == USUAL
    hidden = [row.name.text() for row in network.rows if row.isHidden()]
    assert hidden == ["Mirror", "Proxy"]
    # A page with the text in a title comes before one that only mentions it.
    window.settings.open("general")
    window.settings.search.setText("temperature")
    assert window.settings.findChild(QListWidget).currentItem().text() == "Generation"
    qapp.language.choose("ko")
    for words in ("온도", "temperature"):
        window.settings.search.setText(words)
        assert "generation" in listed(window)


@pytest.mark.full
@pytest.mark.parametrize(
    ("language", "words", "shown"),
    [
        pytest.param("en", "draft source", ["Faster answers"], marks=pytest.mark.full),
        ("ko", "초안 생성 방법", ["답변 속도 높이기"]),
        pytest.param("ja", "ドラフトの生成方法", ["回答の高速化"], marks=pytest.mark.full),
        pytest.param("zh_CN", "草稿来源", ["回答加速"], marks=pytest.mark.full),
        # The English words, and those of other apps.
        ("ko", "draft source", ["답변 속도 높이기"]),
        ("en", "max tokens", ["Maximum answer length"]),
        pytest.param("en", "speculative decoding", ["Faster answers"], marks=pytest.mark.full),
    ],
)
def test_a_setting_is_found_by_the_names_that_it_had_or_has_elsewhere(
    open_settings: OpenShown, qapp: Application, language: str, words: str, shown: list[str]
) -> None:
    window, _, _ = open_settings()
    qapp.language.choose(language)
    window.settings.open("history")
    window.settings.search.setText(words)
    page_id = window.settings.findChild(QListWidget).currentItem().data(Qt.ItemDataRole.UserRole)
    page = window.settings.page(page_id)
    assert page.isVisible()
    assert [row.name.text() for row in page.rows if row.isVisible()] == shown


def test_down_goes_from_the_search_to_the_pages_that_it_found(open_settings: OpenShown) -> None:
    window, _, _ = open_settings()
    window.settings.open("general")
    search, pages = window.settings.search, window.settings.findChild(QListWidget)
    search.setFocus()
    QTest.keyClicks(search, "model")
    QTest.keyClick(search, Qt.Key.Key_Down)
    assert window.settings.focusWidget() is pages
    assert len(listed(window)) > 1
    before = pages.currentItem().text()
    QTest.keyClick(pages, Qt.Key.Key_Down)
    assert pages.currentItem().text() != before
    # Esc clears the search, and would close the window only then.
    QTest.keyClick(search, Qt.Key.Key_Escape)
    assert search.text() == ""
    assert window.settings.isVisible()


@pytest.mark.full
@pytest.mark.parametrize(("width", "height"), by_tier([(1024, 640), (800, 500)], [(800, 500)]))
def test_the_window_is_no_larger_than_the_screen_and_its_pages_scroll(
    open_settings: OpenShown, monkeypatch: pytest.MonkeyPatch, width: int, height: int
) -> None:
    window, _, _ = open_settings()
    free = QRect(0, 25, width, height - 25)
    screen = SimpleNamespace(availableGeometry=lambda: free, size=free.size)
    monkeypatch.setattr(QWidget, "screen", lambda _widget: screen)
    settings = window.settings
    settings.close()
    for _ in range(2):
        # At first above the main window, then where it was.
        settings.open("general")
        assert free.contains(settings.geometry().adjusted(0, -28, 0, 0))
        settings.close()
        settings.move(width - 100, height - 100)
    for page_id in PAGES:
        settings.open(page_id)
        page = settings.page(page_id)
        window.settle()
        for control in page.findChildren(QAbstractButton) + page.findChildren(QComboBox):
            if control.isVisible():
                if isinstance(page, Form):
                    page.ensureWidgetVisible(control)
                assert settings.rect().contains(QRect(control.mapTo(settings, QPoint(0, 0)), control.size())), page_id


def test_a_search_without_result_says_so(open_settings: OpenShown) -> None:
    window, _, _ = open_settings()
    window.settings.open("general")

    def says_so() -> bool:
        shown = window.settings.findChild(QListWidget).findChildren(QLabel)
        return "No matching settings" in [found.text() for found in shown if found.isVisible()]

    for words, found in (("", True), ("zebra", False), ("proxy", True)):
        window.settings.search.setText(words)
        assert bool(listed(window)) == found != says_so()


def test_every_control_of_a_page_has_a_name(open_settings: OpenShown) -> None:
    window, library, _ = open_settings()
    library.show(downloading(LARGER), downloading(DRAFT, "paused"))
    kinds = (QAbstractButton, QComboBox, QAbstractSpinBox, QLineEdit, QPlainTextEdit)
    for page in [window.settings_page(page_id) for page_id in PAGES]:
        for control in [found for kind in kinds for found in page.findChildren(kind)]:
            # The buttons of a notice are the actions of its message.
            inner = isinstance(control.parent(), (Notice, QAbstractSpinBox, QLineEdit))
            if not inner and not control.objectName().startswith("qt_"):
                text = control.text() if isinstance(control, QAbstractButton) else ""
                assert control.accessibleName() or text, (page, control)


def test_the_focus_goes_to_what_replaced_a_pressed_button(open_settings: OpenShown) -> None:
    window, library, _ = open_settings()
    page = window.settings_page("general")
    library.settings.change(send_key="modifier")
    window.settings.activateWindow()
    window.wait(window.settings.isActiveWindow)
    page.reset.setFocus(Qt.FocusReason.TabFocusReason)
    page.reset.click()
    window.wait(lambda: not page.reset.isVisible())
    window.wait(lambda: page.isAncestorOf(QApplication.focusWidget()))
    # Who goes to the search stays there.
    window.settings.search.setFocus(Qt.FocusReason.MouseFocusReason)
    window.settle()
    assert QApplication.focusWidget() is window.settings.search
