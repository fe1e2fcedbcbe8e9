"""Teaching the draft in the settings window: what a person sees and chooses."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.session import teaching_service
from engine.errors import CannotTeach
from engine.status import TaughtDraft, TaughtVersion, TeachingProgress, TeachingResult
from tests.app.conftest import OpenShown
from tests.app.scripted_engine import ScriptedEngine
from tests.app.window_driver import WindowDriver

VERSION = TaughtVersion(1, 0.66, 0.78, 1200)


def test_a_person_teaches_the_draft_and_goes_back(open_shown: OpenShown) -> None:
    window, _, engine = open_shown()
    section = window.settings_page("speculation").teaching
    window.wait(lambda: section.start.isEnabled())
    assert section.start.text() == "Teach"
    section.start.click()
    window.wait(lambda: engine.teaching is not None)
    assert not section.start.isVisible()
    engine.teaching_progress = TeachingProgress("teaching", 120, 800, 180.0)
    window.wait(lambda: section.state.text() == "Step 120 of 800, 3 min left")
    engine.teaching_progress = replace(engine.teaching_progress, waits="hot")
    window.wait(lambda: section.state.text() == "Paused until this Mac has cooled down")
    engine.teaching_progress = replace(engine.teaching_progress, waits="battery")
    window.wait(lambda: section.state.text() == "Paused until this Mac is plugged in")
    engine.learnt = TaughtDraft(VERSION, True)
    assert engine.teaching is not None
    engine.teaching.set_result(TeachingResult(True, 0.66, 0.78, 1200, 1))
    window.wait(lambda: section.back.isEnabled() and section.back.isVisible())
    assert section.state.text() == "Your draft now gets 78% instead of 66% right."
    assert section.back.text() == "Go back to the downloaded draft"
    section.back.click()
    window.wait(lambda: section.back.text() == "Use the taught draft" and section.back.isEnabled())
    assert not engine.learnt.used
    section.back.click()
    window.wait(lambda: engine.learnt.used and section.forget.isEnabled())
    section.forget.click()
    window.wait(lambda: not section.back.isVisible())
    assert engine.learnt.version is None
    assert not section.forget.isVisible()


def test_a_paused_teaching_continues(open_shown: OpenShown) -> None:
    window, _, engine = open_shown()
    section = window.settings_page("speculation").teaching
    window.wait(lambda: section.start.isEnabled())
    section.start.click()
    window.wait(lambda: engine.teaching is not None)
    engine.learnt = TaughtDraft(begun=True)
    section.pause.click()
    window.wait(lambda: section.start.text() == "Continue")
    assert section.state.text() == "Teaching is paused and continues where it was."


@pytest.mark.parametrize(
    ("known", "words"),
    [
        (TaughtDraft(refusal=CannotTeach("other-tokenizer")), "another tokenizer"),
        (TaughtDraft(VERSION, True, "main-changed"), "The main model has changed"),
        (TaughtDraft(VERSION, True, "damaged"), "are damaged"),
    ],
)
def test_it_says_why_a_draft_is_not_taught(open_shown: OpenShown, known: TaughtDraft, words: str) -> None:
    window, _, engine = open_shown()
    engine.learnt = known
    section = window.settings_page("speculation").teaching
    window.wait(lambda: words in section.state.text())


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (CannotTeach("too-little", "12%"), "Chat some more first"),
        (CannotTeach("disk", "No space left on device"), "Free up space"),
        (CannotTeach("no-memory", "1.5"), "1.5 GB more memory"),
    ],
)
def test_a_teaching_that_fails_says_what_to_do(open_shown: OpenShown, error: CannotTeach, words: str) -> None:
    window, _, engine = open_shown()
    section = window.settings_page("speculation").teaching
    window.wait(lambda: section.start.isEnabled())
    section.start.click()
    window.wait(lambda: engine.teaching is not None)
    assert engine.teaching is not None
    engine.teaching.set_exception(error)
    window.wait(lambda: words in section.state.text())
    assert section.start.isVisible()


@pytest.fixture
def idle(open_shown: OpenShown, monkeypatch: pytest.MonkeyPatch) -> tuple[WindowDriver, ScriptedEngine]:
    """A window with an answer in its chat, whose engine is idle for long enough to teach by itself."""
    monkeypatch.setattr(teaching_service, "IDLE_S", 0.05)
    monkeypatch.setattr(teaching_service, "ENOUGH_TOKENS", 2)
    window, _, engine = open_shown()
    window.ask_and_wait("How are you?")
    engine.idle_s = 60.0
    return window, engine


def test_it_teaches_by_itself_while_idle_if_a_person_switched_that_on(
    idle: tuple[WindowDriver, ScriptedEngine],
) -> None:
    window, engine = idle
    engine.idle_s = 0.0
    page = window.settings_page("speculation")
    window.wait(lambda: page.teaching.start.isEnabled())
    page.control("teach_when_idle").click()
    looks = engine.looks
    window.wait(lambda: engine.looks > looks + 1)
    # Requests of another program keep the engine busy.
    assert engine.teaching is None
    engine.idle_s = 60.0
    window.wait(lambda: page.teaching.pause.isVisible())
    assert [answer.messages[-1]["content"] for answer in engine.lessons] == ["How are you?"]


def test_it_does_not_teach_by_itself_unless_that_is_on(idle: tuple[WindowDriver, ScriptedEngine], qtbot: QtBot) -> None:
    window, engine = idle
    switch = window.settings_page("speculation").control("teach_when_idle")
    assert not switch.isChecked()
    switch.click()
    switch.click()
    qtbot.wait(4 * round(1000 * teaching_service.IDLE_S))
    assert engine.teaching is None


def not_better(_: WindowDriver, engine: ScriptedEngine) -> None:
    engine.learnt = TaughtDraft(judged_from=time.time())
    assert engine.teaching is not None
    engine.teaching.set_result(TeachingResult(True, 0.7, 0.69, 400, 0))


def paused(window: WindowDriver, engine: ScriptedEngine) -> None:
    engine.learnt = TaughtDraft(begun=True)
    window.settings_page("speculation").teaching.pause.click()


def deleted(window: WindowDriver, engine: ScriptedEngine) -> None:
    engine.learnt = TaughtDraft(VERSION, True, judged_from=time.time())
    assert engine.teaching is not None
    engine.teaching.set_result(TeachingResult(True, 0.66, 0.78, 1200, 1))
    forget = window.settings_page("speculation").teaching.forget
    window.wait(lambda: forget.isVisible() and forget.isEnabled())
    forget.click()
    window.wait(lambda: engine.learnt == TaughtDraft())


def failed(_: WindowDriver, engine: ScriptedEngine) -> None:
    assert engine.teaching is not None
    engine.teaching.set_exception(CannotTeach("too-little", "80%"))


@pytest.mark.parametrize("end", [not_better, paused, deleted, failed])
def test_after_its_end_only_new_answers_make_it_teach_by_itself_again(
    idle: tuple[WindowDriver, ScriptedEngine], end: Callable[[WindowDriver, ScriptedEngine], None]
) -> None:
    window, engine = idle
    page = window.settings_page("speculation")
    page.control("teach_when_idle").click()
    window.wait(lambda: page.teaching.pause.isVisible())
    end(window, engine)
    window.wait(lambda: page.teaching.start.isVisible())
    window.settle()
    first, looks = engine.teaching, engine.looks
    # Any change of the settings makes it look again.
    page.control("same_text").click()
    window.wait(lambda: engine.looks > looks and not window.session.busy)
    assert engine.teaching is first
    window.ask("And now?")
    window.wait(lambda: engine.teaching is not first)
    assert len(engine.lessons) == 2
