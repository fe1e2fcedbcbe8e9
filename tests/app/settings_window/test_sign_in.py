"""The page of tools: a person signs in to a server in the browser, and out again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMessageBox

from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.tools.sign_in_service import Person, Service, ServicePage, serving
from tests.app.window_driver import WindowDriver


@pytest.fixture
def service() -> Iterator[Service]:
    with serving() as service:
        yield service


class ShownServer:
    """The server on the page, and the person before it, who gets a browser with a yes."""

    def __init__(self, window: WindowDriver, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
        self.window, self.person = window, Person()
        monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: self.person.open(url.toString()) or True)
        window.session.tools.settings.put(service.server)
        self.page: Any = window.settings_page("tools")
        self.view = self.page.line("remote")
        assert self.view.sign.isHidden()
        self.view.test.click()
        self.waits_for("Sign-in needed")

    def waits_for(self, words: str) -> None:
        self.window.wait(lambda: words in self.view.help.text())

    def press(self, words: str) -> None:
        assert self.view.sign.text() == words
        self.view.sign.click()

    def answer(self, words: str, more: str = "") -> None:
        """Answer whether to open the browser; the question says `more`."""
        self.window.wait(lambda: bool(self.page.findChildren(QMessageBox)))
        [question] = self.page.findChildren(QMessageBox)
        assert question.text() == "Open 127.0.0.1 in the browser to sign in to “remote”?" + more
        # The name is the person's or a file's, and must not look like the host.
        assert question.textFormat() is Qt.TextFormat.PlainText
        assert not self.person.opened
        next(button for button in question.buttons() if button.text() == words).click()


@pytest.fixture
def shown(open_window: OpenWindow, service: Service, monkeypatch: pytest.MonkeyPatch) -> ShownServer:
    return ShownServer(open_window(ScriptedEngine()), service, monkeypatch)


def test_a_person_signs_in_in_the_browser_after_a_yes_and_out_again(shown: ShownServer) -> None:
    shown.press("Sign in…")
    shown.answer("Open")
    shown.waits_for("2 tools ready.")
    shown.view.details.click()
    assert shown.page.details.sign.text() == "Sign out"
    shown.page.details.sign.click()
    shown.waits_for("Starts when a chat needs it")
    assert shown.view.sign.isHidden()


def test_a_sign_in_is_refused_before_the_browser_opens_or_cancelled_while_it_waits(shown: ShownServer) -> None:
    shown.press("Sign in…")
    shown.waits_for("Waiting for you to sign in")
    shown.answer("Cancel")
    shown.waits_for("Sign-in needed")
    shown.person.browser = lambda _: ServicePage(200)
    shown.press("Sign in…")
    shown.answer("Open")
    shown.window.wait(lambda: bool(shown.person.opened))
    shown.press("Cancel")
    shown.waits_for("Sign-in needed")
    assert shown.view.sign.text() == "Sign in…"


def test_a_sign_in_that_fails_says_why(shown: ShownServer, service: Service) -> None:
    service.denies = True
    shown.press("Sign in…")
    shown.answer("Open")
    shown.waits_for("was not completed in the browser")
    assert shown.view.sign.text() == "Sign in…"


def test_a_service_with_another_name_is_named_before_the_browser_opens(shown: ShownServer, service: Service) -> None:
    service.metadata = {"issuer": "https://auth.example.com"}
    shown.press("Sign in…")
    names = f"{service.url}/service, but the service calls itself https://auth.example.com"
    shown.answer("Open", f"\n\n“remote” calls the service that signs you in {names}. Continue only if you trust both.")
    shown.waits_for("2 tools ready.")
