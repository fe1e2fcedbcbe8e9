"""Tandem's own web tools in the window: off at first, a card that asks, the page from loopback, and links below."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QAction, QFont
from PySide6.QtWidgets import QLabel, QPushButton, QTextEdit

from app.tools.servers import WebChoice
from app.tools.web_tools import web_tools
from app.transcript.call_card import CallCard, ConsentButtons
from tests.app.conftest import OpenWindow
from tests.app.fake_tools import call_text
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.tools.web_site import NameAnswers, SitePage, WebSite, on_loopback, served
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
    window.wait(lambda: f"news.test:{site.port} learns which page you read." in labels_of(card))
    assert card.question is not None
    assert card.question.toPlainText() == f"main wants to read {address}"
    assert bold_in(card.question) == [f"news.test:{site.port}"]
    assert not card.arguments.isVisible()
    assert site.paths == []
    next(button for button in card.findChildren(QPushButton) if button.text() == "Allow").click()
    window.wait_until_answered()
    assert site.paths == ["/tides"]
    sources = next(label for label in window.window.findChildren(QLabel) if label.objectName() == "sources")
    assert sources.isVisible()
    assert sources.text() == f'Sources: <a href="{address}">news.test:{site.port}</a>'


def asking_window(open_window: OpenWindow, *addresses: str) -> WindowDriver:
    """Open a window whose model reads one page after the other, and then answers "Done."."""
    scripts = [*(Script(call_text("read_page", url=address)) for address in addresses), Script("Done.")]
    window = open_window(ScriptedEngine(scripts, tool_format="json_tools"))
    tools = window.session.tools
    names = NameAnswers(news=[["127.0.0.1"]], other=[["127.0.0.1"]])
    tools.web_addresses = on_loopback(names)
    tools.set_web(WebChoice(on=True))
    tools.set_on(window.session.chat, True)
    return window


def buttons_of(window: WindowDriver) -> dict[str, QPushButton]:
    """Return the buttons of the window by their texts, once a card asks."""

    def shown() -> dict[str, QPushButton]:
        buttons = window.window.findChildren(QPushButton)
        return {button.text(): button for button in buttons if button.isVisible()}

    window.wait(lambda: "Deny" in shown())
    return shown()


def lasting(window: WindowDriver) -> list[QAction]:
    """Return the choices beside Allow of the card that asks; none while no card does."""
    shown = [one for one in window.window.findChildren(ConsentButtons) if one.isVisible()]
    return [action for one in shown for action in one.menu_of_permissions.actions()]


def allow_for_longer(window: WindowDriver, words: str) -> None:
    buttons_of(window)
    next(action for action in lasting(window) if action.text() == words).trigger()


def bold_in(view: QTextEdit) -> list[str]:
    """Return the texts of a view that are bold."""
    block = view.document().begin()
    fragments = [fragment.fragment() for fragment in block]
    return [one.text() for one in fragments if one.charFormat().fontWeight() > QFont.Weight.Normal]


@pytest.mark.parametrize(("choice", "kept"), [("Always allow {site}", True), ("Allow {site} in this chat", False)])
def test_a_permission_to_read_is_for_one_site_and_says_so(
    open_window: OpenWindow, site: WebSite, choice: str, kept: bool
) -> None:
    news = f"http://news.test:{site.port}"
    other = f"http://other.test:{site.port}"
    window = asking_window(open_window, f"{news}/tides", f"{news}/tides?again", f"{other}/?q=the+chat")
    window.ask("When is high tide?")
    allow_for_longer(window, choice.format(site=news))
    # The second page of the site is read without a question.
    window.wait(lambda: site.paths == ["/tides", "/tides?again"])
    window.wait(lambda: choice.format(site=other) in [action.text() for action in lasting(window)])
    buttons_of(window)["Deny"].click()
    window.wait_until_answered()
    assert site.paths == ["/tides", "/tides?again"]
    settings = window.session.tools.settings
    assert [tool.site for tool in settings.allowed_sites(web_tools("wikipedia")[0])] == ([news] if kept else [])


def test_a_redirect_to_another_site_is_asked_about(open_window: OpenWindow, site: WebSite) -> None:
    """A site that is allowed may have addresses that lead anywhere, with the words of the chat in them."""
    target = site.address("/tides", "other.test")
    site.pages["/out"] = SitePage(status=302, headers={"location": target})
    window = asking_window(open_window, site.address("/out"), target)
    window.ask("When is high tide?")
    allow_for_longer(window, f"Always allow http://news.test:{site.port}")
    window.wait(lambda: f"Always allow http://other.test:{site.port}" in [action.text() for action in lasting(window)])
    call = window.session.chat.turns[-1].calls[0]
    assert target in call.text
    assert site.paths == ["/out"]
    buttons_of(window)["Allow"].click()
    window.wait_until_answered()
    assert site.paths == ["/out", "/tides"]


def test_what_is_no_address_fails_without_a_question(open_window: OpenWindow) -> None:
    window = asking_window(open_window, "file:///etc/passwd")
    window.ask("When is high tide?")
    window.wait_until_answered()
    [call] = window.session.chat.turns[-1].calls
    assert call.error is not None
    assert call.error[0] == "web-address"


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
