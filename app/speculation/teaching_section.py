"""Teaching the loaded draft model from the chats: start and pause, progress, the result, and the way back."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QPushButton, QWidget

from app.session.session import Session
from app.widgets.labels import label, show_words
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.style_class import styled
from app.widgets.theme_aware import ThemeAware
from app.wording import figures
from app.wording.errors import error_sentence, joined
from app.wording.sources import recorded_name
from app.wording.teaching import TAUGHT_PROBLEMS, WAITS
from engine.status import TeachingProgress, TeachingResult

translate = QCoreApplication.translate


class TeachingSection(ThemeAware, QWidget):
    """Asks the engine what the loaded draft model was taught when it is shown, and follows the teaching.

    It takes in the `rows` of the settings of teaching.
    """

    def __init__(self, session: Session, rows: Sequence[QWidget], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._teaching = session, session.teaching
        self._title, self._note = label(self, "title"), label(self, "muted", wraps=True)
        self.bound("Teach this draft your way", self._title)
        self.start, self.pause = styled(QPushButton(self), "button"), styled(QPushButton(self), "button")
        self.bound("Pause", self.pause)
        self.state = label(self, "", wraps=True)
        self.back = styled(QPushButton(self), "button")
        self.forget = self.bound("Delete the taught draft", styled(QPushButton(self), "button"))
        choice = fill(hbox(margins=(0, 8, 0, 4)), self.start, self.pause, 1)
        below = fill(hbox(), self.back, self.forget, 1)
        column = fill(vbox(self, margins=(0, 0, 0, 0), spacing=4), self._title, self._note, *rows)
        fill(column, choice, self.state, below)
        self.start.clicked.connect(self._teaching.start)
        self.pause.clicked.connect(self._teaching.pause)
        self.back.clicked.connect(lambda: self._teaching.use(not self._used()))
        self.forget.clicked.connect(self._teaching.forget)
        self._teaching.changed.connect(self.show_state)
        session.models.changed.connect(self._models_changed)
        self.restyle()

    def show_state(self) -> None:
        """Show what the draft model was taught, and how far the teaching is."""
        teaching, pair = self._teaching, self._session.models.pair
        known = teaching.known
        can = known is not None and known.refusal is None and pair.draft is not None and not pair.loading
        self._note.setText(self._words())
        self.start.setText(self.tr("Continue") if known is not None and known.begun else self.tr("Teach"))
        self.start.setVisible(not teaching.running)
        self.pause.setVisible(teaching.running)
        show_words(self.state, self._state())
        taught = known is not None and known.version is not None
        self.back.setVisible(taught and not (known is None or known.problem or teaching.running))
        self.forget.setVisible((taught or (known is not None and known.begun)) and not teaching.running)
        for button in (self.start, self.back, self.forget):
            button.setEnabled(can)
        self.back.setText(
            self.tr("Go back to the downloaded draft") if self._used() else self.tr("Use the taught draft")
        )

    def _models_changed(self) -> None:
        self.show_state()
        if self.isVisible() and not self._session.models.pair.loading:
            self._teaching.refresh()

    def _used(self) -> bool:
        return self._teaching.known is not None and self._teaching.known.used

    def _words(self) -> str:
        main, draft = self._session.models.pair.names
        if not (main and draft):
            return self.tr("Load a main model and a draft model or head first.")
        return self.tr(
            "{draft} learns from the answers of {main} in your chats, so that more of its draft tokens are right. "
            "If these are few, {main} also answers questions from your chats, and these answers are not saved. "
            "Only the speed changes, never the text. The taught draft stays on this Mac, even after a chat is deleted; "
            "answers always come first."
        ).format(main=recorded_name(main), draft=recorded_name(draft))

    def _state(self) -> str:
        teaching, known = self._teaching, self._teaching.known
        if teaching.running:
            return progress_sentence(teaching.progress)
        if teaching.error is not None:
            return error_sentence(teaching.error)
        if teaching.result is not None:
            return result_sentence(teaching.result)
        if known is None:
            return ""
        if known.refusal is not None:
            return error_sentence(known.refusal) if self._session.models.pair.draft is not None else ""
        begun = self.tr("Teaching is paused and continues where it was.") if known.begun else ""
        version = None if known.problem else known.version
        better = "" if version is None else _better(version.before, version.after)
        return joined(TAUGHT_PROBLEMS.get(known.problem, ""), begun, better)

    def retranslate(self) -> None:
        self.show_state()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._teaching.refresh()


def progress_sentence(progress: TeachingProgress) -> str:
    """Say how far the teaching is, and why it waits if it does."""
    if progress.waits:
        return WAITS[progress.waits]
    if progress.phase == "judging":
        return translate("Teaching", "Testing the draft on chats that it has not seen…")
    share = figures.percent(progress.done / progress.total) if progress.total else figures.percent(0.0)
    if progress.phase == "reading":
        return translate("Teaching", "Reading your chats: {share}").format(share=share)
    step = translate("Teaching", "Step {step} of {steps}, {left} left")
    return step.format(
        step=figures.number(progress.done, 0),
        steps=figures.number(progress.total, 0),
        left=figures.duration(progress.seconds_left),
    )


def result_sentence(result: TeachingResult) -> str:
    """Say what the teaching has achieved."""
    before, after = figures.percent(result.before), figures.percent(result.after)
    if result.number:
        return _better(result.before, result.after)
    return translate(
        "Teaching", "This did not make the draft better ({after} instead of {before} right), so it goes on as before."
    ).format(after=after, before=before)


def _better(before: float, after: float) -> str:
    sentence = translate("Teaching", "Your draft now gets {after} instead of {before} right.")
    return sentence.format(after=figures.percent(after), before=figures.percent(before))
