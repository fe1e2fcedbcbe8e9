"""Privacy and network: the Hub's mirror, proxy and token, a test of the connection, and what leaves this computer."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from app.library.library import Library
from app.settings_window.form import SecretRow
from app.settings_window.pages import PageParts
from app.settings_window.table_page import TablePage
from app.widgets.buttons import button
from app.widgets.labels import SentenceLabel
from app.widgets.style_class import styled
from app.wording import privacy
from app.wording.errors import error_sentence, joined
from engine.errors import EngineError
from engine.hub.values import ACCEPTED, REFUSED, UNKNOWN, AccessReport


class NetworkPage(TablePage):
    """The settings of the network and the test. A field takes effect with Enter or when it loses the focus."""

    def __init__(self, library: Library, privacy: Callable[[], str] = str, parent: QWidget | None = None) -> None:
        """`privacy` says what leaves this computer; call `retranslate` when that has changed."""
        super().__init__("network", library.settings, parent)
        self._library = library
        self._say_privacy = privacy
        self.token = self.add_row(SecretRow(self.widget()))
        self.token.typed.connect(lambda token: library.keep_token(token, then=self._token_kept))
        # Whether the typed token is in the keychain; None before one was typed.
        self._kept: bool | None = None
        self._tests_token = False
        self.test = self.bound("Test", button(self, self._test))
        self.bound("Test the connection", self.test, QWidget.setAccessibleName)
        self.test_row = self.row(self.test)
        # The result of the last test, an error included; None before the first.
        self._found: AccessReport | EngineError | None = None
        self._privacy = styled(SentenceLabel(self.widget()), "reason-plain")
        self.add(self._privacy, 16)
        self.restyle()

    def _token_kept(self, stored: bool) -> None:
        """Show whether the token is in the keychain now, and begin the test that waited for it."""
        self._kept = stored
        self.retranslate()
        if self._tests_token:
            self._tests_token = False
            self._library.check_access(self._tested, self._tested)

    def _test(self) -> None:
        """Test the texts in the fields, including edits that are not applied yet."""
        self.keep_typed()
        self.test.setEnabled(False)
        self.test_row.set_words(self.tr("Connection"), self.tr("Testing…"))
        # The test waits until the keychain has a new token.
        self._tests_token = self.token.take()
        if not self._tests_token:
            self._library.check_access(self._tested, self._tested)

    def _tested(self, report: AccessReport | EngineError) -> None:
        """Show the result of the test, which may be an error."""
        self._found = report
        self.test.setEnabled(True)
        self.retranslate()

    def retranslate(self) -> None:
        super().retranslate()
        self._privacy.setText(self._say_privacy())
        help_ = {
            None: self.tr("For gated or private models. Stored only in the system keychain."),
            True: self.tr("Your token is in the keychain."),
            False: self.tr("This Mac has no keychain that Tandem can use, so the token was not kept."),
        }[self._kept]
        self.token.set_words(self.tr("Hugging Face token"), help_)
        self.test_row.set_words(self.tr("Connection"), _words_of(self._found))


def _words_of(report: AccessReport | EngineError | None) -> str:
    """Say what the last test found; for None, what a test does."""
    translate = QCoreApplication.translate
    if report is None:
        return translate("NetworkPage", "Checks the mirror, proxy and token with two small requests.")
    if isinstance(report, Exception):
        return error_sentence(report)
    reached = translate("NetworkPage", "Connected.")
    token = {
        ACCEPTED: translate("NetworkPage", "Token valid (account {user}).").format(user=report.user),
        REFUSED: translate("NetworkPage", "Token rejected: it is wrong, expired or revoked."),
        UNKNOWN: translate("NetworkPage", "The server does not report whether the token is valid."),
    }.get(report.token)
    return reached if token is None else joined(reached, token)


def build(parts: PageParts) -> NetworkPage:
    """Return the page Privacy and network."""
    settings = parts.library.settings
    page = NetworkPage(parts.library, lambda: privacy.network_sentence(parts.session, settings.values))
    privacy.follow(parts.session, settings, page, page.retranslate)
    return page
