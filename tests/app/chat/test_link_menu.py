"""Links in answers: where they go is shown, and nothing is opened unasked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QGuiApplication

from tests.app.scripted_engine import Script, ScriptedEngine

if TYPE_CHECKING:
    from tests.app.conftest import OpenWindow


def test_a_click_on_a_link_shows_the_address_and_opens_nothing(open_window: OpenWindow, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    opened: list[str] = []
    monkeypatch.setattr("app.chat.link_menu.QDesktopServices.openUrl", lambda url: opened.append(url.toString()))
    window = open_window(ScriptedEngine([Script("See [this](https://example.org/a) page.")]))
    window.ask("where?")
    window.wait_until_answered()
    menu = window.transcript.link_menu
    menu.fill("https://example.org/a")
    assert menu.actions()[0].text() == "https://example.org/a"
    assert opened == []
    menu.actions()[2].trigger()
    assert opened == ["https://example.org/a"]


@pytest.mark.parametrize(
    ("address", "shown", "opens"),
    [
        ("https://ko.wikipedia.org/wiki/%ED%95%9C%EA%B5%AD", "https://ko.wikipedia.org/wiki/한국", True),
        ("https://example.org/a?x=1&y=2", "https://example.org/a?x=1&&y=2", True),
        # Letters that look like others, signs that turn the direction, and a user who looks like a host.
        ("https://аррӏе.com/", "https://xn--80ak6aa92e.com/", True),
        ("https://example.org/%E2%80%AEgnp.exe", "https://example.org/%E2%80%AEgnp.exe", True),
        ("https://example.com@example.org/", "https://example.org/", True),
        ("mailto:a@example.org", "mailto:a@example.org", True),
        ("file:///Applications/Calculator.app", "file:///Applications/Calculator.app", False),
        ("javascript:alert(1)", "javascript:alert(1)", False),
        ("notes/a.md", "notes/a.md", False),
    ],
)
def test_a_link_shows_where_it_really_goes_and_opens_only_what_a_browser_reads(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, address: str, shown: str, opens: bool
) -> None:
    opened: list[QUrl] = []
    monkeypatch.setattr("app.chat.link_menu.QDesktopServices.openUrl", opened.append)
    menu = open_window(ScriptedEngine()).transcript.link_menu
    menu.fill(address)
    text, open_it, copy_it = (action for action in menu.actions() if not action.isSeparator())
    assert (text.text(), text.isEnabled(), open_it.isEnabled()) == (shown, False, opens)
    open_it.trigger()
    assert [url.userInfo() for url in opened] == [""] * opens
    copy_it.trigger()
    assert QGuiApplication.clipboard().text() == address


def test_a_very_long_address_does_not_make_the_menu_wider_than_the_screen(open_window: OpenWindow) -> None:
    menu = open_window(ScriptedEngine()).transcript.link_menu
    menu.fill("https://example.org/" + "a" * 5000)
    assert menu.sizeHint().width() < 700
    assert menu.actions()[0].text().startswith("https://example.org/aaa")
