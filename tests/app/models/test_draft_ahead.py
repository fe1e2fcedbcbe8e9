"""Drafting ahead is chosen below the drafts in their picker, or in the settings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFrame, QListWidget
from pytestqt.qtbot import QtBot

from app.models.draft_ahead import DraftAheadRow
from app.widgets.application import Application
from engine.status import ModelInfo
from tests.app.conftest import OpenShown
from tests.app.window_driver import WindowDriver


def row_of(window: WindowDriver) -> DraftAheadRow:
    """Open the draft picker and what is folded below the drafts."""
    picker = window.picker("draft")
    picker.open()
    picker.show_more()
    row: DraftAheadRow = picker.picker.ahead
    return row


def words_of(row: DraftAheadRow) -> str:
    return "\n".join((row.name.text(), row.help.text(), row.chooser.currentText()))


def test_what_is_chosen_below_the_drafts_reaches_the_engine_and_the_settings(open_shown: OpenShown) -> None:
    window, _, engine = open_shown()
    row = row_of(window)
    assert row.isVisible()
    assert (row.chooser.currentData(), engine.settings.draft_ahead) == ("off", "off")
    row.chooser.setCurrentIndex(1)
    row.chooser.activated.emit(1)
    assert engine.settings.draft_ahead == "here"
    assert window.settings_page("speculation").control("draft_ahead").currentData() == "here"


def test_another_mac_that_is_named_can_draft_ahead_and_is_offered_where_it_is_named(open_shown: OpenShown) -> None:
    window, _, engine = open_shown()
    row = row_of(window)
    machines = window.settings_page("machines")
    assert machines.draft_row.isHidden()
    machines.settings.change(machines="127.0.0.1, studio, me@mini")
    places = [row.chooser.itemData(index) for index in range(row.chooser.count())]
    assert places == ["off", "here", "studio", "me@mini"]
    assert row.chooser.itemText(3) == "On me@mini"
    assert not machines.draft_row.isHidden()
    machines.draft_there.click()
    assert engine.settings.draft_ahead == "studio"
    assert machines.draft_row.isHidden()
    chooser = window.settings_page("speculation").control("draft_ahead")
    assert (chooser.currentData(), chooser.currentText()) == ("studio", "On studio")
    # It stays chosen until the person chooses otherwise.
    machines.settings.change(machines="")
    assert row.chooser.currentData() == "studio"
    row.chooser.setCurrentIndex(0)
    row.chooser.activated.emit(0)
    assert engine.settings.draft_ahead == "off"
    assert row.chooser.count() == 2


@pytest.mark.parametrize(
    ("draft", "why"),
    [
        (ModelInfo("head", Path("models/head"), "dflash", 4096, 20_000_000, kind="head"), "one pass"),
        (None, "Choose a draft model first."),
    ],
)
def test_without_a_draft_model_there_is_nothing_to_choose_and_it_says_why(
    open_settings: OpenShown, draft: ModelInfo | None, why: str
) -> None:
    window, _, _ = open_settings()
    row = row_of(window)
    page = window.settings_page("speculation")
    machines = window.settings_page("machines")
    machines.settings.change(machines="studio")
    offers = {
        page.control("draft_ahead"): page.row_of("draft_ahead").help,
        machines.draft_there: machines.draft_row.help,
    }
    models = window.session.models
    usable = models.pair
    for _ in range(2):
        models.pair = replace(usable, draft=draft)
        models.changed.emit()
        assert [(control.isEnabled(), why in words.text()) for control, words in offers.items()] == [(False, True)] * 2
        # The picker has room for choices only.
        assert not row.isVisible()
        # Whether the models that are being loaded can draft ahead is not known yet.
        models.pair = replace(usable, draft=draft, loading="main")
        models.changed.emit()
        assert [(control.isEnabled(), why in words.text()) for control, words in offers.items()] == [(True, False)] * 2
        assert row.isVisible()
    models.pair = replace(usable, draft=draft)
    # What was chosen with another draft can be turned off.
    machines.settings.change(draft_ahead="studio")
    assert row.isVisible()
    assert row.chooser.isEnabled()
    assert page.control("draft_ahead").isEnabled()


def test_it_follows_the_language(open_settings: OpenShown, qapp: Application, qtbot: QtBot) -> None:
    window, _, _ = open_settings()
    row = row_of(window)
    before = words_of(row)
    qapp.language.choose("ja")
    qtbot.waitUntil(lambda: "ドラフト" in words_of(row))
    assert not set(before.splitlines()) & set(words_of(row).splitlines())


def test_in_a_low_window_the_help_makes_room_for_the_drafts(open_settings: OpenShown) -> None:
    window, _, _ = open_settings()
    window.resize(560, 420)
    row = row_of(window)
    picker = window.picker("draft").picker
    drafts = picker.findChild(QListWidget)
    assert row.isVisible()
    assert not row.help.isVisible()
    assert row.chooser.toolTip() == row.help.text()
    # Nearly three rows, the last of which is not below what follows them.
    assert drafts.height() >= 2.5 * drafts.item(0).sizeHint().height()
    assert drafts.geometry().bottom() < picker.findChild(QFrame, "line").geometry().top()
    window.picker("draft").close()
    window.resize(900, 700)
    assert row_of(window).help.isVisible()
