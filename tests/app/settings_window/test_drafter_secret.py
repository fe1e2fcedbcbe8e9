"""Drafting ahead elsewhere: the secret goes into the keychain and to the engine, and is never shown again."""

from __future__ import annotations

import keyring
import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from app.settings.engine_settings import SECRET_VARIABLE
from tests.app.conftest import OpenShown


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    kept: dict[str, str] = {}
    monkeypatch.delenv(SECRET_VARIABLE, raising=False)
    monkeypatch.setattr(keyring, "set_password", lambda _service, name, secret: kept.__setitem__(name, secret))
    monkeypatch.setattr(keyring, "get_password", lambda _service, name: kept.get(name))
    return kept


def test_the_secret_goes_to_the_keychain_and_the_engine(open_shown: OpenShown, kept: dict[str, str]) -> None:
    window, library, _ = open_shown()
    page = window.settings_page("speculation")
    assert page.secret.isHidden()
    library.settings.change(async_drafter="remote")
    assert not page.secret.isHidden()
    QTest.keyClicks(page.secret.field, "one long secret of two computers")
    page.secret.field.editingFinished.emit()
    window.wait(lambda: "one long secret of two computers" in kept.values())
    assert window.session.models.limits.drafter_secret == "one long secret of two computers"
    assert page.secret.field.text() == ""
    assert page.secret.field.echoMode() == QLineEdit.EchoMode.Password
    window.wait(lambda: "keychain" in page.secret.help.text() and "Your secret" in page.secret.help.text())
    assert library.settings.values.drafter_address == ""


def test_the_next_window_reads_the_secret_only_for_another_computer(
    open_shown: OpenShown, kept: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept["drafter"] = "one long secret of two computers"
    window, library, _ = open_shown()
    window.settle()
    assert window.session.models.limits.drafter_secret == ""
    library.settings.change(async_drafter="remote")
    window.wait(lambda: window.session.models.limits.drafter_secret == "one long secret of two computers")
    # The variable, which the terminal uses, wins.
    monkeypatch.setenv(SECRET_VARIABLE, "another secret of two computers")
    library.settings.change(drafter_address="mac.local:8799")
    assert window.session.models.limits.drafter_secret == "another secret of two computers"
