"""The page of speculation: what the same text costs, and the secret of another computer's drafter."""

from __future__ import annotations

from dataclasses import replace

import keyring
import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from app.settings.engine_settings import SECRET_VARIABLE
from engine.tuning import KeyRange, Rounding
from tests.app.conftest import OpenShown
from tests.app.learned_figures import LEARNED, SHORT


def test_the_switch_for_the_same_text_says_what_it_costs(open_shown: OpenShown) -> None:
    window, library, engine = open_shown()
    cost = replace(SHORT, same_text_cost=0.2)
    engine.known = [replace(LEARNED[1], rounding=Rounding((KeyRange(1117, 8),)), contexts=(cost,))]
    page = window.settings_page("speculation")
    page.refresh()
    row = next(row for row in page.rows if row.control is page.control("same_text"))
    window.wait(lambda: "up to 7 draft tokens" in row.help.text())
    assert row.name.text() == "Always the same text with and without speculation"
    assert "about 20%" in row.help.text()
    assert page.show_matching("same text")
    page.control("same_text").click()
    assert library.settings.values.same_text
    assert window.session.settings.speculation.same_text


def test_what_was_measured_is_measured_again(open_shown: OpenShown) -> None:
    window, _, engine = open_shown()
    engine.known = list(LEARNED)
    page = window.settings_page("speculation")
    assert not page.measure_again.isEnabled()
    page.refresh()
    window.wait(page.measure_again.isEnabled)
    page.measure_again.click()
    window.wait(lambda: not page.measure_again.isEnabled())
    assert not engine.known


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
