"""Teaching the draft in the settings window: what a person sees and chooses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.errors import CannotTeach
from engine.status import TaughtDraft, TaughtVersion, TeachingProgress, TeachingResult
from tests.app.conftest import OpenShown

VERSION = TaughtVersion(1, 0.66, 0.78, 1200, 0)


def test_a_person_teaches_the_draft_and_goes_back(open_shown: OpenShown) -> None:
    window, _, engine = open_shown()
    section = window.settings_page("speculation").teaching
    window.wait(lambda: section.start.isEnabled())
    assert section.start.text() == "Teach"
    assert not section.bars.isVisible()
    section.start.click()
    window.wait(lambda: engine.teaching is not None)
    assert not section.start.isVisible()
    engine.teaching_progress = TeachingProgress("teaching", 120, 800, 180.0)
    window.wait(lambda: section.state.text() == "Step 120 of 800, 3 min left")
    engine.teaching_progress = replace(engine.teaching_progress, waits="hot")
    window.wait(lambda: section.state.text() == "Paused until this Mac has cooled down")
    engine.learnt = TaughtDraft((VERSION,), 1)
    assert engine.teaching is not None
    engine.teaching.set_result(TeachingResult(True, 0.66, 0.78, 1200, 1))
    window.wait(lambda: section.back.isEnabled() and section.back.isVisible())
    assert section.state.text() == "Your draft now gets 78% instead of 66% right."
    assert [value.text() for value in section.bars.values] == ["66%", "78%"]
    assert [bar.share for bar in section.bars.bars] == [0.66, 0.78]
    assert section.back.text() == "Go back to the former draft"
    section.back.click()
    window.wait(lambda: section.back.text() == "Use the taught draft" and section.back.isEnabled())
    assert engine.learnt.chosen == 0
    section.back.click()
    window.wait(lambda: engine.learnt.chosen == 1 and section.forget.isEnabled())
    section.forget.click()
    window.wait(lambda: not section.bars.isVisible())
    assert engine.learnt.versions == ()
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
        (TaughtDraft(refusal=CannotTeach("head")), "A head cannot be taught yet."),
        (TaughtDraft(refusal=CannotTeach("other-tokenizer")), "another tokenizer"),
        (TaughtDraft((VERSION,), 1, "main-changed"), "The main model has changed"),
        (TaughtDraft((VERSION,), 1, "damaged"), "are damaged"),
    ],
)
def test_it_says_why_a_draft_is_not_taught(open_shown: OpenShown, known: TaughtDraft, words: str) -> None:
    window, _, engine = open_shown()
    engine.learnt = known
    section = window.settings_page("speculation").teaching
    window.wait(lambda: words in section.state.text())
    assert not section.bars.isVisible()


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
