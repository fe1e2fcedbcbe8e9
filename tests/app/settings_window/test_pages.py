"""The pages of the settings window: one is its declaration and its module."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel, QListWidget

from app.settings.declarations import PAGES
from app.settings.setting import SETTINGS_PAGES, SettingsPage
from app.settings_window.table_page import TablePage
from tests.app.conftest import OpenShown


def declare(monkeypatch: pytest.MonkeyPatch, page: SettingsPage) -> None:
    """Declare a page, as a line in `app/settings/setting.py` does."""
    monkeypatch.setitem(SETTINGS_PAGES, page.name, page)
    monkeypatch.setitem(PAGES, page.name, page.title)


def test_a_declared_page_is_listed_found_and_built_by_its_module(
    open_settings: OpenShown, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare(monkeypatch, SettingsPage("toy", "Toy", "tests.app.settings_window.toy_page"))
    window, _, _ = open_settings()
    window.settings.open("toy")
    pages = window.settings.findChild(QListWidget)
    assert pages.currentItem().text() == "Toy"
    page = window.settings.page("toy")
    assert isinstance(page, QLabel)
    assert page.isVisible()
    assert page.text() == "The theme is system."
    window.settings.open("general")
    window.settings.search.setText("toy")
    assert pages.currentItem().text() == "Toy"


def test_a_page_without_a_module_has_the_rows_of_its_settings(
    open_settings: OpenShown, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare(monkeypatch, SettingsPage("generation", "Generation"))
    window, _, _ = open_settings()
    page = window.settings_page("generation")
    assert type(page) is TablePage
    assert page.title.text() == "Generation"
    assert page.row_of("temperature").name.text() == "Temperature"
