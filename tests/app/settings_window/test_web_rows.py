"""The rows of Tandem's own web tools on the page of tools."""

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
def rows(window: WindowDriver) -> Any:
    page: Any = window.settings_page("tools")
    return page.web


def choose(rows: Any, service: str) -> None:
    index = rows.service.findData(service)
    rows.service.setCurrentIndex(index)
    rows.service.activated.emit(index)


def test_they_are_off_until_a_person_turns_them_on(window: WindowDriver, rows: Any) -> None:
    assert not rows.switch.isChecked()
    assert not rows.service.isVisible()
    rows.switch.click()
    assert window.session.tools.settings.web == WebChoice(on=True)
    assert rows.service.isVisible()
    assert not rows.key.isVisible()


def test_a_key_goes_to_the_keychain_and_an_address_to_the_settings(
    window: WindowDriver, rows: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries: dict[tuple[str, str], str] = {}
    monkeypatch.setattr(keyring, "set_password", lambda app, name, secret: entries.update({(app, name): secret}))
    monkeypatch.setattr(keyring, "get_password", lambda app, name: entries.get((app, name)))
    settings = window.session.tools.settings
    rows.switch.click()
    choose(rows, "kagi")
    assert rows.key.name.text() == "Key for Kagi"
    rows.key.field.setText("secret")
    rows.key.field.editingFinished.emit()
    window.wait(lambda: "Your key is in the keychain." in rows.key.help.text())
    assert entries == {("Tandem", "search/kagi"): "secret"}
    assert settings.search_key("kagi") == "secret"
    assert settings.search_key("brave") == ""
    assert rows.key.field.text() == ""
    choose(rows, "searxng")
    rows.address.setText(" http://127.0.0.1:8888 ")
    rows.address.editingFinished.emit()
    assert settings.web == WebChoice(on=True, service="searxng", searxng="http://127.0.0.1:8888")
    assert not rows.key.isVisible()


def test_a_permission_to_search_is_for_one_service(window: WindowDriver, rows: Any) -> None:
    settings = window.session.tools.settings
    rows.switch.click()
    asked = rows.permissions[1]
    assert asked.currentData() == Permission.ASK
    index = asked.findData(Permission.ALWAYS)
    asked.setCurrentIndex(index)
    asked.activated.emit(index)
    assert settings.permission(web_tools("wikipedia")[1]) is Permission.ALWAYS
    choose(rows, "brave")
    assert asked.currentData() == Permission.ASK


def test_pages_are_allowed_always_by_site_only(window: WindowDriver, rows: Any) -> None:
    tools = window.session.tools
    rows.switch.click()
    of_pages = rows.permissions[0]
    assert [of_pages.itemText(index) for index in range(of_pages.count())] == ["Ask", "Off"]
    pages = web_tools("wikipedia")[0]
    for site in ("https://news.test", "http://other.test:8080"):
        tools.permit(window.session.chat, pages.for_site(site), Permission.ALWAYS)
    assert [row.name.text() for row in rows.sites] == ["news.test", "http://other.test:8080"]
    window.wait(lambda: all(row.isVisible() for row in rows.sites))
    assert rows.sites[0].button.accessibleName() == "Ask again: news.test"
    rows.sites[0].button.click()
    assert [row.name.text() for row in rows.sites] == ["http://other.test:8080"]
    assert tools.permission(window.session.chat, pages.for_site("https://news.test")) is Permission.ASK
    # The choice for all sites takes none of them back.
    tools.switch(pages, False)
    assert rows.sites == []
    tools.switch(pages, True)
    assert len(rows.sites) == 1
