"""Checking for updates from the menu, and once a day if that is enabled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.actions.actions import Actions
from app.settings.store import SettingsStore
from app.settings.updates import FeedSource, Release, UpdateCheckFailed
from app.widgets.banner import Banner
from app.window.notifications import Notifications
from app.window.updates import UpdateChecker
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine

NEWER = Release("99.0.0", "https://example.org/99", {"en": "Everything is faster."})
SAME = Release("0.0.1", "https://example.org/1", {})
PUBLISHED = FeedSource("https://example.org/feed.json", "key")


class Window(QWidget):
    """A banner, and a checker that gets `answer`."""

    def __init__(self, folder: Path, answer: Release | Exception, source: FeedSource = PUBLISHED) -> None:
        super().__init__()
        self.asked = 0
        self.banner = Banner(self)
        self.settings = SettingsStore(folder / "settings.json")
        notifications = Notifications(self.banner, Actions({}, self), self)

        def ask(_source: FeedSource, _proxy: str) -> Release:
            self.asked += 1
            if isinstance(answer, Exception):
                raise answer
            return answer

        self.checker = UpdateChecker(self.settings, notifications, self, lambda: source, ask)

    @property
    def said(self) -> str:
        return "".join(notice.text for notice in self.banner.shown)


@pytest.fixture
def opened(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Window]]:
    """Open windows of version 0.1.0, whose checkers are closed after the test."""
    monkeypatch.setattr("app.window.updates.installed_version", lambda _: "0.1.0")
    windows: list[Window] = []

    def open_on(answer: Release | Exception, source: FeedSource = PUBLISHED) -> Window:
        windows.append(Window(tmp_path / str(len(windows)), answer, source))
        qtbot.addWidget(windows[-1])
        return windows[-1]

    yield open_on
    for window in windows:
        window.checker.close()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (NEWER, "Tandem 99.0.0 is available. Everything is faster."),
        (SAME, "Tandem is up to date."),
        pytest.param(UpdateCheckFailed("unreachable"), "Check the network", marks=pytest.mark.full),
        (UpdateCheckFailed("invalid"), "isn't signed"),
        pytest.param(UpdateCheckFailed("expired"), "has expired, so Tandem can't tell", marks=pytest.mark.full),
    ],
)
def test_what_a_check_finds_is_said(
    opened: Callable[..., Window], qtbot: QtBot, answer: Release | Exception, words: str
) -> None:
    window = opened(answer)
    window.checker.check()
    qtbot.waitUntil(lambda: words in window.said)


def test_the_page_is_opened_and_never_a_download(
    opened: Callable[..., Window], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages: list[str] = []
    monkeypatch.setattr("PySide6.QtGui.QDesktopServices.openUrl", lambda url: pages.append(url.toString()))
    window = opened(NEWER)
    window.checker.check()
    qtbot.waitUntil(lambda: "available" in window.said)
    [page] = window.checker.findChildren(QAction)
    page.trigger()
    assert pages == ["https://example.org/99"]


def test_offline_and_from_source_nothing_is_asked(opened: Callable[..., Window]) -> None:
    window, built = opened(NEWER), opened(NEWER, FeedSource("", ""))
    window.settings.change(work_offline=True)
    window.checker.check()
    assert "work offline" in window.said
    built.checker.check()
    assert "built from source" in built.said
    assert window.asked == built.asked == 0


def test_nobody_is_asked_daily_unless_the_user_wants_it(opened: Callable[..., Window], qtbot: QtBot) -> None:
    window = opened(NEWER)
    window.checker.check_daily()
    window.settings.change(check_updates=True)
    window.checker.check_daily()
    qtbot.waitUntil(lambda: "available" in window.said)
    assert window.asked == 1
    # Not again on the same day.
    window.checker.check_daily()
    assert window.asked == 1


def test_a_clock_that_was_ahead_stops_no_check_and_a_feed_that_has_expired_is_said_once_a_day(
    opened: Callable[..., Window], qtbot: QtBot
) -> None:
    window = opened(UpdateCheckFailed("expired"))
    window.settings.change(check_updates=True, update_checked_at=2**40)
    window.checker.check_daily()
    qtbot.waitUntil(lambda: "has expired" in window.said)
    window.checker.check_daily()
    assert window.asked == 1


def test_the_menu_has_it(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([]))
    window.trigger("check-updates")
    assert "built from source" in window.banner_text
