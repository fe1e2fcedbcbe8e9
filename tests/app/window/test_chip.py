"""The chips of the header: the one of the draft pulses as drafts are accepted."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.widgets.application import Application
from app.window.chip import Chip
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import FULL, PLAIN, STORY, Script
from tests.app.shared_window import StartChat


@pytest.mark.parametrize(("milliseconds", "pulses"), [(20, True), (0, False)])
def test_a_pulse_lasts_a_moment_and_is_none_where_motion_is_reduced(
    qapp: Application, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, milliseconds: int, *, pulses: bool
) -> None:
    monkeypatch.setattr("app.window.chip.animation_ms", lambda _widget: milliseconds)
    chip = Chip()
    qtbot.addWidget(chip)
    chip.show_model("Draft", "Small", "draft-on", "draft")
    chip.show()
    # It gets the focus, and with it a ring.
    qapp.processEvents()
    before = picture(chip)
    chip.pulse(3)
    assert (picture(chip) != before) is pulses
    qtbot.waitUntil(lambda: picture(chip) == before)


def picture(chip: Chip) -> QImage:
    return chip.grab().toImage()


def test_the_draft_s_chip_pulses_with_accepted_drafts_while_an_answer_streams(start_chat: StartChat) -> None:
    engine = ScriptedEngine([Script(STORY, [PLAIN, FULL])], by_hand=True)
    window = start_chat(engine)
    window.session.answers.ask("A story")
    window.wait(lambda: bool(engine.answering))
    chip = window.header.draft
    quiet = picture(chip)
    # The prompt, the first token, and a round without drafts.
    engine.go_on(4)
    window.wait(lambda: len(window.answer().rounds) == 2)
    assert picture(chip) == quiet
    engine.go_on(1)
    window.wait(lambda: len(window.answer().rounds) == 3)
    window.wait(lambda: picture(chip) != quiet)
    window.wait(lambda: picture(chip) == quiet)
    engine.go_on(100)
    window.wait_until_answered()
    window.wait(lambda: picture(chip) == quiet)
