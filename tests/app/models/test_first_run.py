"""From an empty first run to a chat with a downloaded pair: real window, real engine, fake Hub."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.library.library import Library
from app.models.download_card import DownloadCard
from app.models.page import INSTALLED
from tests.app.hub_library import TINY_DRAFT as DRAFT
from tests.app.hub_library import TINY_MAIN as MAIN
from tests.app.window_driver import WindowDriver
from tests.fakehub.server import FakeHub
from tests.tiny_models import write_model


def test_a_pair_is_offered_downloaded_chosen_and_answers(
    hub_window: WindowDriver, library: Library, qtbot: QtBot
) -> None:
    qtbot.waitUntil(hub_window.offer.isVisible)
    QTest.mouseClick(hub_window.offer.row.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "Tiny Main is ready." in hub_window.banner_text)
    qtbot.waitUntil(lambda: {status.state for status in library.downloads} == {"ready"})
    qtbot.waitUntil(lambda: sum(entry.complete for entry in library.inventory.installed) == 2)  # type: ignore[union-attr]
    hub_window.press_banner()
    session = hub_window.session
    qtbot.waitUntil(lambda: session.answers.ready and not session.models.pair.loading)
    assert session.models.pair.main.name == MAIN
    assert session.models.pair.draft is not None
    assert session.models.pair.draft.name == DRAFT
    assert hub_window.header.main.accessibleName() == "Main model: Tiny Main"
    assert hub_window.header.downloads.isHidden()
    hub_window.edit.setPlainText("the quick brown fox")
    QTest.keyClick(hub_window.edit, Qt.Key.Key_Return)
    answer = session.chat.turns[-1].answer
    qtbot.waitUntil(lambda: answer.ended)
    assert answer.error is None
    assert answer.text
    assert answer.stats.draft == DRAFT


def test_a_download_is_paused_resumed_and_cancelled_from_the_page_and_kept_when_the_window_closes(
    hub_window: WindowDriver, library: Library, hub: FakeHub, tmp_path: Path, qtbot: QtBot
) -> None:
    hub.bytes_a_second = 5_000
    qtbot.waitUntil(lambda: library.inventory is not None)
    hub_window.trigger("models-page")
    page = hub_window.settings.page("models")
    library.get(MAIN)
    qtbot.waitUntil(lambda: bool(page.findChildren(DownloadCard)) and library.downloads[0].bytes_done > 0)
    assert hub_window.header.downloads.accessibleName().startswith("1 download")
    card = page.findChildren(DownloadCard)[0]
    card.main_button.click()
    qtbot.waitUntil(lambda: library.downloads[0].state == "paused")
    assert card.main_button.text() == "Resume"
    assert hub_window.header.downloads.isHidden()
    card.main_button.click()
    qtbot.waitUntil(lambda: library.running == 1)
    card.cancel_button.click()
    qtbot.waitUntil(lambda: not library.downloads and not page.findChildren(DownloadCard))
    # The next run continues a download that runs when the window closes.
    library.get(MAIN)
    qtbot.waitUntil(lambda: library.running == 1 and library.downloads[0].state == "downloading")
    hub_window.close()
    (kept,) = json.loads((tmp_path / "downloads.json").read_text())["downloads"]
    assert (kept["repository"], kept["state"]) == (MAIN, "queued")


def test_a_pair_that_was_paused_goes_on_as_a_pair(
    page: Any, hub_settings: WindowDriver, library: Library, hub: FakeHub, qtbot: QtBot
) -> None:
    hub.bytes_a_second = 5_000

    def pair_button() -> QPushButton:
        return next(card.main_button for card in page.cards if card.entry.id == MAIN)

    qtbot.waitUntil(lambda: MAIN in [card.entry.id for card in page.cards])
    assert pair_button().text() == "Download"
    pair_button().click()
    qtbot.waitUntil(lambda: len(page.findChildren(DownloadCard)) == 2)
    for card in page.findChildren(DownloadCard):
        assert card.main_button.text() == "Pause"
        card.main_button.click()
    qtbot.waitUntil(lambda: {status.state for status in library.downloads} == {"paused"})
    assert pair_button().text() == "Resume"
    assert pair_button().isEnabled()
    hub.bytes_a_second = None
    pair_button().click()
    qtbot.waitUntil(lambda: [status.state for status in library.downloads] == ["ready", "ready"])
    qtbot.waitUntil(lambda: "Tiny Main is ready." in hub_settings.banner_text)


def test_a_search_finds_and_a_pasted_address_is_looked_at(page: Any, qtbot: QtBot) -> None:
    QTest.keyClicks(page.field, "tiny")
    qtbot.waitUntil(lambda: len(page.cards) == 2)
    page.field.clear()
    page.field.setText(f"https://huggingface.co/{MAIN}")
    page.field.textEdited.emit(page.field.text())
    qtbot.waitUntil(lambda: [card.entry.id for card in page.cards] == [MAIN])
    assert page.cards[0].entry.context == 512
    page.field.clear()
    QTest.keyClicks(page.field, "tiny-org/nothing")
    qtbot.waitUntil(lambda: "There is no model tiny-org/nothing" in page.empty.text())


def test_an_installed_model_is_removed_with_its_size_first(
    page: Any, library: Library, tmp_path: Path, qtbot: QtBot
) -> None:
    library.get(DRAFT)
    qtbot.waitUntil(lambda: bool(library.inventory.installed))  # type: ignore[union-attr]
    page.show_tab(INSTALLED)
    (card,) = page.cards
    card.remove_button.click()
    qtbot.waitUntil(lambda: "Delete this model?" in card.facts.text())
    assert "Hugging Face cache" in card.facts.text()
    assert card.main_button.text() == "Delete"
    card.remove_button.click()
    assert card.main_button.text() == "Chat"
    card.remove_button.click()
    qtbot.waitUntil(lambda: card.main_button.text() == "Delete")
    card.main_button.click()
    qtbot.waitUntil(lambda: not page.cards and not page.findChildren(DownloadCard))
    assert not list((tmp_path / "cache").glob("models--*"))


def test_a_gated_model_leads_to_its_page_and_comes_once_there_is_a_token(
    hub_settings: WindowDriver,
    library: Library,
    hub: FakeHub,
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    hub.repositories[DRAFT].gated = True
    hub.tokens.add("hf_secret")
    qtbot.waitUntil(lambda: library.inventory is not None)
    library.get(DRAFT)
    qtbot.waitUntil(lambda: "Accept the terms on its page" in hub_settings.banner_text)
    assert hub_settings.banner_button.text() == "Show the download"
    hub_settings.press_banner()
    models = hub_settings.settings.page("models")
    qtbot.waitUntil(lambda: bool(models.findChildren(DownloadCard)))
    (card,) = models.findChildren(DownloadCard)
    address = f"{hub.endpoint}/{DRAFT}"
    assert card.page_button.toolTip() == f"Opens {address} in your browser."
    card.page_button.click()
    assert opened == [address]
    page = hub_settings.settings_page("network")
    QTest.keyClicks(page.token.field, "hf_secret")
    QTest.keyClick(page.token.field, Qt.Key.Key_Return)
    assert page.token.field.text() == ""
    qtbot.waitUntil(lambda: "Your token is in the keychain." in [one.text() for one in page.findChildren(QLabel)])
    card.main_button.click()
    qtbot.waitUntil(lambda: [status.state for status in library.downloads] == ["ready"])
    hub_settings.close()
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or b"hf_secret" not in file.read_bytes()


def test_a_mirror_that_is_no_address_is_told_and_hides_nothing(
    hub_settings: WindowDriver, library: Library, tmp_path: Path, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: library.inventory is not None)
    library.settings.change(hub_endpoint="not an address")
    qtbot.waitUntil(lambda: "the mirror in the settings" in hub_settings.banner_text)
    write_model(tmp_path / "own" / "My-Model")
    library.settings.change(hub_endpoint="", model_folders=(str(tmp_path / "own"),))
    qtbot.waitUntil(lambda: [entry.name for entry in library.inventory.installed] == ["My Model"])  # type: ignore[union-attr]
