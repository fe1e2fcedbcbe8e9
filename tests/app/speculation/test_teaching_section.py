"""Teaching the draft in its card: what a person sees and chooses."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QPushButton

from app.speculation.teaching_section import TeachingSection
from engine.errors import CannotTeach
from engine.status import TaughtDraft, TeachingProgress, TeachingResult
from tests.app.conftest import OpenShown
from tests.app.window_driver import WindowDriver

BETTER = TeachingResult(0.66, 0.78, better=True)


def shown_section(window: WindowDriver) -> TeachingSection:
    """Open the card as the draft picker does."""
    picker = window.picker("draft").picker
    picker.open()
    window.find(QPushButton, "teach").click()
    assert picker.isHidden()
    return window.find(TeachingSection)


def test_a_person_teaches_the_draft_and_deletes_what_it_learned(open_shown: OpenShown) -> None:
    window, _, engine = open_shown()
    section = shown_section(window)
    window.wait(lambda: section.start.isEnabled())
    section.start.click()
    window.wait(lambda: engine.teaching is not None)
    assert not section.start.isVisible()
    engine.teaching_progress = TeachingProgress("teaching", 120, 800, 180.0)
    window.wait(lambda: section.state.text() == "Step 120 of 800, 3 min left")
    engine.learnt = TaughtDraft(BETTER)
    assert engine.teaching is not None
    engine.teaching.set_result(BETTER)
    window.wait(lambda: section.remove.isEnabled() and section.remove.isVisible())
    assert section.state.text() == "Your draft now gets 78% instead of 66% right."
    section.remove.click()
    window.wait(lambda: not section.remove.isVisible())
    assert engine.learnt == TaughtDraft()
    assert not section.state.isVisible()


def test_why_a_teaching_failed_is_not_said_once_the_taught_draft_is_deleted(open_shown: OpenShown) -> None:
    window, _, engine = open_shown()
    engine.learnt = TaughtDraft(BETTER)
    section = shown_section(window)
    window.wait(lambda: section.start.isEnabled())
    section.start.click()
    window.wait(lambda: engine.teaching is not None)
    assert engine.teaching is not None
    engine.teaching.set_exception(CannotTeach("too-little", "12%"))
    window.wait(lambda: "Chat some more first" in section.state.text())
    section.remove.click()
    window.wait(lambda: not section.remove.isVisible())
    assert not section.state.isVisible()


def test_a_teaching_is_stopped(open_shown: OpenShown) -> None:
    window, _, engine = open_shown()
    section = shown_section(window)
    window.wait(lambda: section.start.isEnabled())
    section.start.click()
    window.wait(lambda: engine.teaching is not None)
    section.stop.click()
    window.wait(lambda: section.start.isVisible() and section.start.isEnabled())
    assert not section.remove.isVisible()


def test_what_is_not_better_is_said(open_shown: OpenShown) -> None:
    window, _, engine = open_shown()
    section = shown_section(window)
    window.wait(lambda: section.start.isEnabled())
    section.start.click()
    window.wait(lambda: engine.teaching is not None)
    assert engine.teaching is not None
    engine.teaching.set_result(TeachingResult(0.7, 0.69, better=False))
    window.wait(lambda: "did not make the draft better" in section.state.text())


@pytest.mark.parametrize(
    ("known", "words"),
    [
        (TaughtDraft(refusal=CannotTeach("other-tokenizer")), "another tokenizer"),
        (TaughtDraft(problem="changed"), "has changed since"),
        pytest.param(TaughtDraft(problem="damaged"), "are damaged", marks=pytest.mark.full),
    ],
)
def test_it_says_why_a_draft_is_not_taught(open_shown: OpenShown, known: TaughtDraft, words: str) -> None:
    window, _, engine = open_shown()
    engine.learnt = known
    section = shown_section(window)
    window.wait(lambda: words in section.state.text())


@pytest.mark.parametrize(
    ("error", "words"),
    [
        # Held by default where the taught draft is deleted after it.
        pytest.param(CannotTeach("too-little", "12%"), "Chat some more first", marks=pytest.mark.full),
        pytest.param(CannotTeach("disk", "No space left on device"), "Free up space", marks=pytest.mark.full),
        (CannotTeach("no-memory", "1.5"), "1.5 GB more memory"),
    ],
)
def test_a_teaching_that_fails_says_what_to_do(open_shown: OpenShown, error: CannotTeach, words: str) -> None:
    window, _, engine = open_shown()
    section = shown_section(window)
    window.wait(lambda: section.start.isEnabled())
    section.start.click()
    window.wait(lambda: engine.teaching is not None)
    assert engine.teaching is not None
    engine.teaching.set_exception(error)
    window.wait(lambda: words in section.state.text())
    assert section.start.isVisible()
