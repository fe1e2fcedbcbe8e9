"""The secret that this computer shares with `tandem drafter serve` on another one, kept in the system's keychain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.settings.keychain import Keychain
from app.system.background import Background

SECRET_NAME = "drafter"


class DrafterSecret(QObject):
    """`value` is "" until it was read. `changed` is emitted when it changes."""

    changed = Signal()

    def __init__(self, parent: QObject, secrets: Callable[[], Any] = Keychain) -> None:
        super().__init__(parent)
        self._secrets = secrets
        self._background = Background("drafter-secret", parent=self)
        self._asked = False
        self.value = ""

    def read(self) -> None:
        """Read the secret once, because the system may ask the user for it."""
        if not self._asked:
            self._asked = True
            self._background.run(lambda: self._secrets().read(SECRET_NAME) or "", self._take_read, owner=self)

    def keep(self, secret: str, then: Callable[[bool], object]) -> None:
        """Use another secret from now on and store it; `then` gets whether it is in the keychain."""
        self._asked = True
        self._take(secret)
        self._background.run(lambda: bool(self._secrets().write(SECRET_NAME, secret)), then, owner=self)

    def close(self) -> None:
        self._background.close()

    def _take_read(self, secret: str) -> None:
        # The user may have typed another one meanwhile.
        if not self.value:
            self._take(secret)

    def _take(self, secret: str) -> None:
        if secret != self.value:
            self.value = secret
            self.changed.emit()
