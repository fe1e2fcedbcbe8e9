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
        self._preferences = preferences
        self._notifications = notifications
        self._source = source
        self._ask = ask
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
            self._run(asked=True)

    def check_daily(self) -> None:
        """Check if the user enabled that and the last check is a day old; show a newer release, or an expired feed."""
        values = self._preferences.values
        # The clock may have been ahead.
        due = not 0 <= time.time() - values.update_checked_at < _DAY_S
        if values.check_updates and due and not values.work_offline and self._source().known:
            self._run(asked=False)

    def close(self) -> None:
        self._background.close()

    def _run(self, asked: bool) -> None:
        proxy = self._preferences.values.proxy
        show = partial(self._show, asked)
        fail = partial(self._show_failure, asked)
        self._background.run(lambda: self._ask(self._source(), proxy), show, fail, owner=self)

    def _show_failure(self, asked: bool, error: Exception) -> None:
        reason = error.reason if isinstance(error, UpdateCheckFailed) else "unreachable"
        # Someone who wants to keep new releases from a person may show an old feed.
        if reason == "expired":
            self._preferences.change(update_checked_at=int(time.time()))
        if asked or reason == "expired":
            self._notifications.show_no_update(reason)

    def _show(self, asked: bool, release: Release) -> None:
        self._preferences.change(update_checked_at=int(time.time()))
        if release.is_newer_than(installed_version("tandem-chat")):
            self._page.setData(release.page)
            self._notifications.show_update(release, self._page)
        elif asked:
            self._notifications.show_no_update("newest")
