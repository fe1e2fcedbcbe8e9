"""Teaching the loaded draft model from the chats: start and stop, progress, the result, and its removal."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QPushButton, QWidget

from app.session.session import Session
from app.widgets.labels import label, show_words
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.style_class import styled
from app.widgets.theme_aware import ThemeAware
from app.wording import figures
from app.wording.errors import error_sentence
from app.wording.sources import recorded_name
from app.wording.teaching import TAUGHT_PROBLEMS
from engine.status import TeachingProgress, TeachingResult

translate = QCoreApplication.translate


class TeachingSection(ThemeAware, QWidget):
    """Asks the engine what the loaded draft model was taught when it is shown, and follows the teaching."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._teaching = session.teaching
        self._title = label(self, "title")
        self._note = label(self, "muted", wraps=True)
        self.bound("Teach this draft your way", self._title)
        self.start = self.bound("Teach", styled(QPushButton(self), "button"))
        self.stop = self.bound("Stop", styled(QPushButton(self), "button"))
        self.state = label(self, "", wraps=True)
        self.remove = self.bound("Delete the taught draft", styled(QPushButton(self), "button"))
        choice = fill(hbox(margins=(0, 8, 0, 4)), self.start, self.stop, self.remove, 1)
        column = fill(vbox(self, margins=(0, 0, 0, 0), spacing=4), self._title, self._note, choice)
        fill(column, self.state)
        self.start.clicked.connect(self._teaching.start)
        self.stop.clicked.connect(self._teaching.stop)
        self.remove.clicked.connect(self._teaching.remove)
        self._teaching.changed.connect(self.show_state)
        session.models.changed.connect(self._models_changed)
        self.restyle()

    def show_state(self) -> None:
        """Show what the draft model was taught, and how far the teaching is."""
        teaching = self._teaching
        pair = self._session.models.pair
        known = teaching.known
        can = known is not None and known.refusal is None and pair.draft is not None and not pair.loading
        self._note.setText(self._words())
        self.start.setVisible(not teaching.running)
        self.stop.setVisible(teaching.running)
        show_words(self.state, self._state())
        taught = known is not None and bool(known.judged or known.problem)
        self.remove.setVisible(taught and not teaching.running)
        for button in (self.start, self.remove):
            button.setEnabled(can)

    def _models_changed(self) -> None:
        self.show_state()
        if self.isVisible() and not self._session.models.pair.loading:
            self._teaching.refresh()

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
        teaching = self._teaching
        known = self._teaching.known
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
        if known.judged is not None:
            return result_sentence(known.judged)
        return TAUGHT_PROBLEMS.get(known.problem, "")

    def retranslate(self) -> None:
        self.show_state()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._teaching.refresh()


def progress_sentence(progress: TeachingProgress) -> str:
    """Say how far the teaching is."""
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
    if result.better:
        sentence = translate("Teaching", "Your draft now gets {after} instead of {before} right.")
    else:
        sentence = translate(
            "Teaching",
            "This did not make the draft better ({after} instead of {before} right), so it goes on as before.",
        )
    return sentence.format(after=figures.percent(result.after), before=figures.percent(result.before))
