"""Links in answers: the menu shows where they go, and nothing is opened unasked."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.session.answer import Answer, State
from app.session.chats import Chat, Turn
from app.transcript.link_menu import LinkMenu
from app.transcript.prose import Prose
from app.transcript.transcript import Transcript


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[QUrl]:
    """The links that were opened."""
    links: list[QUrl] = []
    monkeypatch.setattr("app.transcript.link_menu.QDesktopServices.openUrl", links.append)
    return links


@pytest.fixture
def menu(qtbot: QtBot) -> LinkMenu:
    menu = LinkMenu()
    qtbot.addWidget(menu)
    return menu


def test_a_click_on_a_link_shows_the_address_and_opens_nothing(
    transcript: Transcript, opened: list[QUrl], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    popups: list[LinkMenu] = []
    monkeypatch.setattr(LinkMenu, "popup", lambda menu, *_: popups.append(menu))
    turn = Turn("where?", Answer(State.DONE, "See [this](https://example.org/a) page."))
    transcript.show_chat(Chat(1, "", [turn]))
    qtbot.waitUntil(lambda: bool(transcript.findChildren(Prose)))
    prose = transcript.findChild(Prose)
    assert 'href="https://example.org/a"' in prose.document().toHtml()
    prose.anchorClicked.emit(QUrl("https://example.org/a"))
    [menu] = popups
    assert menu.actions()[0].text() == "https://example.org/a"
    assert opened == []
    menu.actions()[2].trigger()
    assert opened == [QUrl("https://example.org/a")]


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
    menu: LinkMenu, opened: list[QUrl], address: str, shown: str, opens: bool
) -> None:
    menu.fill(address)
    text, open_it, copy_it = (action for action in menu.actions() if not action.isSeparator())
    assert (text.text(), text.isEnabled(), open_it.isEnabled()) == (shown, False, opens)
    open_it.trigger()
    assert [url.userInfo() for url in opened] == [""] * opens
    copy_it.trigger()
    assert QGuiApplication.clipboard().text() == address


def test_a_very_long_address_does_not_make_the_menu_wider_than_the_screen(menu: LinkMenu) -> None:
    menu.fill("https://example.org/" + "a" * 5000)
    assert menu.sizeHint().width() < 700
    assert menu.actions()[0].text().startswith("https://example.org/aaa")
