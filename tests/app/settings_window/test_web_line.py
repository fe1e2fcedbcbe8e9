"""The line of Tandem's own web tools on the page of tools, and the sheet with the rest."""

from __future__ import annotations

from typing import Any

import keyring
import pytest

from app.tools.servers import WebChoice
from app.tools.tool import Permission
from app.tools.web_tools import web_tools
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.window_driver import WindowDriver


@pytest.fixture
def window(open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> WindowDriver:
    monkeypatch.setattr("app.session.session.data_folder", lambda: tmp_path)
    return open_window(ScriptedEngine())


@pytest.fixture
def page(window: WindowDriver) -> Any:
    return window.settings_page("tools")


def choose(chooser: Any, value: object) -> None:
    """Pick an entry as a person does."""
    index = chooser.findData(value)
    assert index >= 0
    chooser.setCurrentIndex(index)
    chooser.activated.emit(index)


def test_they_are_off_until_a_person_turns_them_on(window: WindowDriver, page: Any) -> None:
    line = page.web
    assert not line.switch.isChecked()
    assert not line.service.isVisible()
    # Without a key, nothing promises to search the web.
    assert line.help.text().startswith("Reads pages, and searches Wikipedia, not all of the web.")
    line.switch.click()
    assert window.session.tools.settings.web == WebChoice(on=True)
    assert line.service.isVisible()
    choose(line.service, "kagi")
    assert line.help.text().startswith("Reads pages, and searches the web with Kagi.")


def test_a_service_that_needs_something_asks_for_it(
    window: WindowDriver, page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries: dict[tuple[str, str], str] = {}
    monkeypatch.setattr(keyring, "set_password", lambda app, name, secret: entries.update({(app, name): secret}))
    monkeypatch.setattr(keyring, "get_password", lambda app, name: entries.get((app, name)))
    settings = window.session.tools.settings
    page.web.switch.click()
    choose(page.web.service, "kagi")
    sheet = page.web_details
    assert sheet.isVisible()
    assert sheet.key.name.text() == "Key for Kagi"
    sheet.key.field.setText("secret")
    sheet.key.field.editingFinished.emit()
    window.wait(lambda: "Your key is in the keychain." in sheet.key.help.text())
    assert entries == {("Tandem", "search/kagi"): "secret"}
    assert settings.search_key("kagi") == "secret"
    assert settings.search_key("brave") == ""
    assert sheet.key.field.text() == ""
    sheet.close_overlay()
    choose(page.web.service, "searxng")
    assert "Its address is missing" in page.web.help.text()
    sheet.address.setText(" http://127.0.0.1:8888 ")
    sheet.address.editingFinished.emit()
    assert settings.web == WebChoice(on=True, service="searxng", searxng="http://127.0.0.1:8888")
    assert "Its address is missing" not in page.web.help.text()
    assert not sheet.key.isVisible()


def test_a_permission_to_search_is_for_one_service(window: WindowDriver, page: Any) -> None:
    settings = window.session.tools.settings
    page.web.switch.click()
    chooser = page.web.searching.chooser
    assert chooser.currentData() == Permission.ASK
    choose(chooser, Permission.ALWAYS)
    assert settings.permission(web_tools("wikipedia")[1]) is Permission.ALWAYS
    choose(page.web.service, "brave")
    assert chooser.currentData() == Permission.ASK


def test_pages_are_allowed_always_by_site_only(window: WindowDriver, page: Any) -> None:
    tools = window.session.tools
    page.web.switch.click()
    of_pages = page.web.reading.chooser
    assert [of_pages.itemText(index) for index in range(of_pages.count())] == ["Ask", "Never"]
    page.web.details.click()
    sheet = page.web_details
    pages = web_tools("wikipedia")[0]
    for site in ("https://news.test", "http://other.test:8080"):
        tools.permit(window.session.chat, pages.for_site(site), Permission.ALWAYS)
    assert [row.name.text() for row in sheet.sites] == ["news.test", "http://other.test:8080"]
    window.wait(lambda: all(row.isVisible() for row in sheet.sites))
    assert sheet.sites[0].button.accessibleName() == "Ask again: news.test"
    sheet.sites[0].button.click()
    assert [row.name.text() for row in sheet.sites] == ["http://other.test:8080"]
    assert tools.permission(window.session.chat, pages.for_site("https://news.test")) is Permission.ASK
    # The choice for all sites takes none of them back.
    choose(of_pages, Permission.DENY)
    assert tools.is_off(pages)
    assert sheet.sites == []
    choose(of_pages, Permission.ASK)
    assert len(sheet.sites) == 1
