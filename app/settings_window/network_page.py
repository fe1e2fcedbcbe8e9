"""The page of the connection to the Hub: mirror, proxy, token, working offline, and a test of them."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from app.library.library import Library
from app.settings_window.table_page import TablePage
from app.widgets.labels import SentenceLabel
from app.widgets.popups import round_field_menu
from app.widgets.style_class import styled
from app.wording.errors import joined
from app.wording.hub import hub_sentence
from engine.errors import EngineError
from engine.hub.values import ACCEPTED, REFUSED, UNKNOWN, AccessReport


class NetworkPage(TablePage):
    """The settings of the network and the test. A field takes effect with Enter or when it loses the focus."""

    def __init__(self, title: str, library: Library, parent: QWidget | None = None) -> None:
        super().__init__("network", title, library.settings, parent)
        self._library = library
        self.token = QLineEdit(self)
        round_field_menu(self.token)
        self.token.setMinimumWidth(220)
        self.token.setEchoMode(QLineEdit.EchoMode.Password)
        self._token_row = self.row(self.token)
        self._kept: bool | None = None
        self.token.editingFinished.connect(self._keep_token)
        self.test = self.bound("Test", styled(QPushButton(self), "button"))
        self.bound("Test the connection", self.test, QWidget.setAccessibleName)
        self.test.clicked.connect(self._test)
        self._test_row = self.row(self.test)
        # The result of the last test, an error included; None before the first.
        self._found: AccessReport | EngineError | None = None
        self._privacy = styled(SentenceLabel(self.widget()), "reason-plain")
        self.bound(
            "Tandem goes online only to search Hugging Face, download a model, check for updates or run the test "
            "above. Chats, settings and statistics never leave this Mac. No telemetry.",
            self._privacy,
        )
        self.add(self._privacy, 16)
        self.restyle()

    @property
    def verdict(self) -> str:
        """The result of the last test in words."""
        return self._test_row.help.text()

    def _keep_token(self) -> None:
        """Store the token and clear the field, which never shows it again."""
        if token := self.token.text().strip():
            self._library.keep_token(token, then=self._token_kept)

    def _token_kept(self, kept: bool) -> None:
        self._kept = kept
        self.token.clear()
        self.retranslate()

    def _test(self) -> None:
        """Test the texts in the fields, including edits that are not applied yet."""
        self.keep_typed()
        self.test.setEnabled(False)
        self._test_row.set_words(self.tr("Connection"), self.tr("Testing…"))
        if token := self.token.text().strip():
            self._library.keep_token(token, then=self._token_kept_for_test)
        else:
            self._library.check_access(self._tested, self._tested)

    def _token_kept_for_test(self, kept: bool) -> None:
        self._token_kept(kept)
        self._library.check_access(self._tested, self._tested)

    def _tested(self, found: AccessReport | EngineError) -> None:
        self._found = found
        self.test.setEnabled(True)
        self.retranslate()

    def retranslate(self) -> None:
        super().retranslate()
        if self._kept is None:
            help_ = self.tr("For gated or private models. Stored only in the system keychain.")
        elif self._kept:
            help_ = self.tr("Your token is in the keychain.")
        else:
            help_ = self.tr("This Mac has no keychain that Tandem can use, so the token was not kept.")
        self._token_row.set_words(self.tr("Hugging Face token"), help_)
        self._test_row.set_words(self.tr("Connection"), _verdict(self._found))


def _verdict(found: AccessReport | EngineError | None) -> str:
    translate = QCoreApplication.translate
    if found is None:
        return translate("NetworkPage", "Checks the mirror, proxy and token with two small requests.")
    if isinstance(found, Exception):
        return hub_sentence(found) if found.code == "hub" else str(found)
    reached = {
        (False, False): translate("NetworkPage", "Connected to Hugging Face."),
        (True, False): translate("NetworkPage", "Connected to the mirror."),
        (False, True): translate("NetworkPage", "Connected to Hugging Face through the proxy."),
        (True, True): translate("NetworkPage", "Connected to the mirror through the proxy."),
    }[found.mirror, found.proxy]
    token = {
        ACCEPTED: translate("NetworkPage", "Token valid (account {user}).").format(user=found.user),
        REFUSED: translate("NetworkPage", "Token rejected: it is wrong, expired or revoked."),
        UNKNOWN: translate("NetworkPage", "The server does not report whether the token is valid."),
    }.get(found.token)
    return reached if token is None else joined(reached, token)
