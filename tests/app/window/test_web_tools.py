"""Tandem's own web tools in the window: off at first, a card that asks, the page from loopback, and links below."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QLabel, QPushButton

from app.tools.servers import WebChoice
from app.transcript.call_card import CallCard
from tests.app.conftest import OpenWindow
from tests.app.fake_tools import call_text
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.tools.web_site import SitePage, WebSite, on_loopback, served
from tests.app.window_driver import WindowDriver


@pytest.fixture
def site() -> Iterator[WebSite]:
    with served() as site:
        site.pages["/tides"] = SitePage(b"<title>Tides</title><p>High at noon.</p>")
        yield site


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setattr("app.session.session.data_folder", lambda: tmp_path)


def card_of(window: WindowDriver) -> CallCard:
    """Return the card on screen, once there is one."""
    window.wait(lambda: any(card.isVisible() for card in window.window.findChildren(CallCard)))
    return next(card for card in window.window.findChildren(CallCard) if card.isVisible())


def labels_of(card: CallCard) -> str:
    return "\n".join(label.text() for label in card.findChildren(QLabel) if label.isVisible())


def test_a_page_is_read_after_a_yes_and_linked_below_the_answer(open_window: OpenWindow, site: WebSite) -> None:
    address = site.address("/tides")
    scripts = [Script(call_text("read_page", url=address)), Script("At noon.")]
    window = open_window(ScriptedEngine(scripts, tool_format="json_tools"))
    tools = window.session.tools
    tools.web_addresses = on_loopback()
    tools.set_web(WebChoice(on=True))
    tools.set_on(window.session.chat, True)
    window.ask("When is high tide?")
    card = card_of(window)
    window.wait(lambda: "Its site sees the address that is asked for." in labels_of(card))
    assert address in card.arguments.toPlainText()
    assert site.paths == []
    next(button for button in card.findChildren(QPushButton) if button.text() == "Allow once").click()
    window.wait_until_answered()
    assert site.paths == ["/tides"]
    sources = next(label for label in window.window.findChildren(QLabel) if label.objectName() == "sources")
    assert sources.isVisible()
    assert sources.text() == f'Sources: <a href="{address}">news.test:{site.port}</a>'


def test_no_model_is_told_of_them_before_they_are_turned_on(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script("Hello.")], tool_format="json_tools"))
    tools = window.session.tools
    chat = window.session.chat
    tools.set_on(chat, True)
    assert tools.web_tools_of(chat) == []
    tools.set_web(WebChoice(on=True))
    assert [tool.called for tool in tools.web_tools_of(chat)] == ["read_page", "search_web"]
    tools.set_on(chat, False)
    assert tools.web_tools_of(chat) == []
