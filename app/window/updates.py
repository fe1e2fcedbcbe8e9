"""Checks for a newer release when the user asks, or once a day if the user enabled that."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QAction, QDesktopServices

from app.settings.store import SettingsStore
from app.settings.updates import FeedSource, Release, UpdateCheckFailed, feed_source, newest_release
from app.system.background import Background
from app.system.versions import installed_version
from app.window.notifications import Notifications

_DAY_S = 24 * 3600


class UpdateChecker(QObject):
    """`source` returns the feed of this build, and `ask(feed, proxy)` fetches the newest release on another thread."""

    def __init__(
        self,
        preferences: SettingsStore,
        notifications: Notifications,
        parent: QObject,
        source: Callable[[], FeedSource] = feed_source,
        ask: Callable[[FeedSource, str], Release] = newest_release,
    ) -> None:
        super().__init__(parent)
        self._preferences, self._notifications = preferences, notifications
        self._source, self._ask = source, ask
        self._background = Background("updates", parent=self)
        self._page = QAction(self)
        self._page.triggered.connect(lambda: QDesktopServices.openUrl(QUrl(self._page.data())))

    def check(self) -> None:
        """Check now, and show the outcome."""
        if self._preferences.values.work_offline:
            self._notifications.show_no_update("offline")
        elif not self._source().known:
            self._notifications.show_no_update("no-feed")
        else:
            self._run(partial(self._show, True), lambda error: self._notifications.show_no_update(_reason(error)))

    def check_daily(self) -> None:
        """Check if the user enabled that and the last check is a day old; show a newer release, or an expired feed."""
        values = self._preferences.values
        # The clock may have been ahead.
        due = not 0 <= time.time() - values.update_checked_at < _DAY_S
        if values.check_updates and due and not values.work_offline and self._source().known:
            self._run(partial(self._show, False), self._show_expired)

    def close(self) -> None:
        self._background.close()

    def _run(self, then: Callable[[Release], None], failed: Callable[[Exception], None]) -> None:
        proxy = self._preferences.values.proxy
        self._background.run(lambda: self._ask(self._source(), proxy), then, failed, owner=self)

    def _show_expired(self, error: Exception) -> None:
        """Say that the feed has expired, which someone may cause who wants to keep new releases from a person."""
        if _reason(error) == "expired":
            self._preferences.change(update_checked_at=int(time.time()))
            self._notifications.show_no_update("expired")

    def _show(self, asked: bool, release: Release) -> None:
        self._preferences.change(update_checked_at=int(time.time()))
        if release.is_newer_than(installed_version("tandem-chat")):
            self._page.setData(release.page)
            self._notifications.show_update(release, self._page)
        elif asked:
            self._notifications.show_no_update("newest")


def _reason(error: Exception) -> str:
    return error.reason if isinstance(error, UpdateCheckFailed) else "unreachable"
