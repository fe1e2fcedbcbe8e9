"""One sentence says what speculation does, the same in header, picker and panel."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from tests.app.conftest import OpenShown, OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import STORY, Script, ScriptedRound
from tests.app.shown_library import DRAFT, MAIN, path_of
from tests.app.window_driver import WindowDriver


def picker_says(window: WindowDriver) -> str:
    """Open the draft picker and return its sentence."""
    window.header.draft.click()
    said: str = window.picker("draft").picker.state.text()
    window.picker("draft").picker.close_overlay()
    return said


@pytest.mark.parametrize("with_draft", [True, False])
def test_header_picker_and_panel_say_the_same_before_an_answer(open_shown: OpenShown, with_draft: bool) -> None:
    window, _, _ = open_shown(pair=(path_of(MAIN), path_of(DRAFT) if with_draft else None))
    session = window.session
    for method in ("auto", "draft", "ngram", "off"):
        session.settings.set_speculation(replace(session.settings.speculation, method=method))
        said = picker_says(window)
        assert said == window.header.draft.toolTip()
        off = method == "off" or (method == "draft" and not with_draft)
        assert (said in window.panel_text) == off
        assert ("Ask something" in window.panel_text) == (not off)
        header = "\n".join(label.text() for label in window.header.draft.findChildren(QLabel))
        assert ("(off)" in header) == (off and with_draft)
        looks_up = method == "ngram" or (method == "auto" and not with_draft)
        assert ("prompt lookup" in said) == looks_up
        [in_use] = [row.kind for row in window.picker("draft").choices if row.loaded]
        assert in_use == ("none" if off else "lookup" if looks_up else "use")


def in_header(window: WindowDriver, sentence: str) -> bool:
    shown = (label.text() for label in window.header.findChildren(QLabel))
    return any(sentence.startswith(text[:15]) for text in shown if text[1:])


FAILED = ScriptedRound(0, 0, "main", "draft-failed")


def test_while_an_answer_is_plain_all_three_say_why(open_window: OpenWindow, qtbot: QtBot) -> None:
    gate = threading.Semaphore(0)
    window = open_window(ScriptedEngine([Script(STORY, (FAILED,))], gate=gate))
    window.ask("Tell me a story")
    gate.release(8)
    qtbot.waitUntil(lambda: len(window.answer().rounds) > 2)
    said = window.header.draft.toolTip()
    assert said == "Without speculation: drafting failed."
    # The header says it where the panel does not.
    assert not in_header(window, said)
    window.trigger("toggle-panel")
    assert in_header(window, said)
    window.trigger("toggle-panel")
    assert picker_says(window) == said
    qtbot.waitUntil(lambda: said in window.panel_text)
    gate.release(10_000)
    window.wait_until_answered()
    # Once the answer has ended, only the panel is about it.
    assert window.header.draft.toolTip() == picker_says(window) == "Speculation: auto"
    assert "Without speculation: " in window.panel_text


def test_another_chat_does_not_keep_the_sentence_of_the_one_before(open_window: OpenWindow, qtbot: QtBot) -> None:
    gate = threading.Semaphore(0)
    window = open_window(ScriptedEngine([Script(STORY, (FAILED,))], gate=gate))
    window.ask("Tell me a story")
    gate.release(8)
    qtbot.waitUntil(lambda: "Without speculation" in window.header.draft.toolTip())
    window.trigger("new-chat")
    assert window.header.draft.toolTip() == "Speculation: auto"
    gate.release(10_000)
    qtbot.waitUntil(lambda: not window.session.busy)
