"""The strip above the chat: which main and draft model are in use, and whether they speculate."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLocale, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QToolButton, QWidget

from app.actions.actions import Actions
from app.session.answer import Answer
from app.session.chats import Chat, Turn
from app.session.model_service import Pair
from app.session.session import Session
from app.session.time_left import TimeLeft
from app.settings.declarations import PAGES
from app.speculation.gauges import ActionSegments
from app.widgets import theme
from app.widgets.icons import icon
from app.widgets.labels import label, set_name, tip
from app.widgets.layouts import fill, hbox
from app.widgets.style_class import styled
from app.widgets.theme_aware import ThemeAware
from app.window.chip import LONGEST_NAME, Chip
from app.wording.api import serving_sentence
from app.wording.figures import capitalized, percent
from app.wording.machines import together_sentence
from app.wording.models import time_left
from app.wording.sources import names_without_drafter, recorded_name
from app.wording.speculation import speculation_sentence, state_now, why_off
from engine.methods import uses_drafter
from engine.model_files.names import name_of_snapshot

_PROGRESS_MS = 150
# Widths in pixels at the normal text size.
# The width of a name below which the words next to it are hidden.
_READABLE_NAME = 96
# The state is shown where there is more room than this.
_SHORTEST_STATE = 60
# The least width of a header that shows "Text | Tokens".
_ANSWERS_NEED = 660
# The margin at each end, in pixels.
_END_MARGIN = 12
# The distance between two parts, in pixels.
_SPACING = 8
# The least width of the header, in pixels.
_LEAST_WIDTH = 280


class Header(ThemeAware, QFrame):
    """Shows the session's pair. Its buttons show and hide the two side panes.

    `page_wanted` carries the settings page of a mark that was pressed.
    """

    page_wanted = Signal(str)

    def __init__(self, session: Session, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("header")
        self.setFixedHeight(52)
        self._session = session
        self._actions = actions
        self.main = Chip(self)
        self.draft = Chip(self)
        for chip in (self.main, self.draft):
            chip.given_up.connect(session.models.cancel_load)
        self._status = label(self, "muted")
        self._status.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._state = ""
        self._state_is_elsewhere = True
        self._beside_panel = False
        self._names = ("", "")
        self._left = self._pane_button("toggle-sidebar")
        self._right = self._pane_button("toggle-panel")
        self._answers = ActionSegments(actions, ("show-text", "show-tokens"), self)
        # Replaces the segments where they do not fit.
        self._as_tokens = styled(QToolButton(self), "toggle")
        self._as_tokens.setCheckable(True)
        self._as_tokens.setIcon(icon("tokens"))
        self._as_tokens.setIconSize(QSize(18, 18))
        self._as_tokens.clicked.connect(lambda on: actions["show-tokens" if on else "show-text"].trigger())
        as_tokens = actions["show-tokens"]
        as_tokens.changed.connect(lambda: self._as_tokens.setChecked(as_tokens.isChecked()))
        self.downloads, self.machines, self.api = (self._mark(page) for page in ("models", "machines", "api"))
        self.downloads.setIcon(icon("arrow-down", "draft_text"))
        self.machines.setIcon(icon("main-model", "main"))
        self._downloads_running = 0
        self._shown_state = ""
        self._time_left = TimeLeft()
        # The answer that streams, and how many of its rounds have been looked at.
        self._followed: tuple[Answer | None, int] = (None, 0)
        # What of the loading is said where there is no room for the sentence, the longest words first.
        self._short_words: list[str] = []
        row = hbox(self, margins=(_END_MARGIN, 0, _END_MARGIN, 0), spacing=_SPACING)
        fill(row, self._left, self.main, self.draft, (self._status, 1))
        fill(row, self.downloads, self.machines, self.api, self._answers, self._as_tokens, self._right)
        self._progress_timer = QTimer(self)
        self._progress_timer.setInterval(_PROGRESS_MS)
        self._progress_timer.timeout.connect(self.show_load_progress)
        self._follow_session()
        self.restyle()

    def _follow_session(self) -> None:
        session = self._session
        session.models.changed.connect(self.refresh)
        session.settings.speculation_changed.connect(self.refresh)
        session.chats.opened.connect(lambda _chat: self.refresh())
        for grown_or_cut in (session.answers.asked, session.chats.path_changed):
            grown_or_cut.connect(lambda *_: self._fit())
        session.answers.arrived.connect(self._follow_answer)
        session.api.changed.connect(self._show_marks)
        session.cluster.changed.connect(self._show_marks)

    def _pane_button(self, action_id: str) -> QToolButton:
        button = QToolButton(self)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        button.setDefaultAction(self._actions[action_id])
        button.setIconSize(QSize(20, 20))
        return button

    def _mark(self, page: str) -> QToolButton:
        button = QToolButton(self)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.clicked.connect(lambda: self.page_wanted.emit(page))
        return button

    def refresh(self) -> None:
        """Show the pair as it is now."""
        pair = self._session.models.pair
        self._names = (self._name_of(pair, "main"), self._name_of(pair, "draft"))
        self._shown_state = state_now(self._session)
        self._show_main(pair)
        self._show_draft(pair)
        self._state = self._loading_sentence() if pair.loading else self._shown_state
        self._show_share()
        self._state_is_elsewhere = not pair.loading and self._says_state_elsewhere(pair)
        self._status.setToolTip(tip(self._shown_state))
        if pair.loading:
            self._progress_timer.start()
        else:
            self._progress_timer.stop()
        self._fit()

    def _show_main(self, pair: Pair) -> None:
        name = self._names[0]
        mark, colour = ("main-model", "main") if pair.main is not None else ("draft-off", "muted")
        self.main.show_model(self.tr("Main"), name, mark, colour)
        spoken = self.tr("loading…") if pair.loading == "main" else name
        self.main.setAccessibleName(self.tr("Main model: {name}").format(name=spoken))
        self.main.setToolTip(tip(str(pair.main.path) if pair.main else name))

    def _show_draft(self, pair: Pair) -> None:
        """Show the draft model, or what else proposes tokens, and whether speculation is on."""
        name = self._names[1]
        method = self._session.settings.speculation.method
        is_on = not why_off(pair, method)
        if not is_on:
            colour = "muted"
        elif pair.draft is None or not uses_drafter(method):
            colour = "lookup"
        else:
            colour = "draft"
        self.draft.show_model(self._drafter_words(pair, is_on), name, "draft-on" if is_on else "draft-off", colour)
        spoken = self.tr("loading…") if pair.loading else name
        if _has_head(pair):
            words = self.tr("Draft head: {name}. {state}")
        elif self._shows_lookup:
            words = self.tr("Draft source: {name}. {state}")
        else:
            words = self.tr("Draft model: {name}. {state}")
        self.draft.setAccessibleName(words.format(name=spoken, state=self._shown_state))
        self.draft.setToolTip(tip(self._shown_state))

    @property
    def _shows_lookup(self) -> bool:
        """Whether the draft's chip names what looks drafts up, in place of a draft model."""
        lookups = capitalized(names_without_drafter(self._session.settings.speculation.method))
        return bool(lookups) and self._names[1] == lookups

    def _says_state_elsewhere(self, pair: Pair) -> bool:
        """Return whether the state is also said elsewhere, so that it needs no words in the header.

        A draft that is off and a main model that is not there say so themselves. If the current answer is decoded
        without speculation, the state is the reason, which only the panel says, too.
        """
        method = self._session.settings.speculation.method
        if why_off(pair, method):
            return pair.draft is not None or pair.main is None
        is_of_answer = self._shown_state != speculation_sentence(pair, method)
        return not is_of_answer or self._beside_panel

    def stand_beside_panel(self, is_shown: bool) -> None:
        """Leave what speculation does in an answer to the live panel while that is shown."""
        self._beside_panel = is_shown
        self.refresh()

    def _follow_answer(self, chat: Chat, turn: Turn) -> None:
        """Show what speculation does while an answer is written: its state and, as a pulse, accepted drafts."""
        if chat is self._session.chat and not turn.answer.ended:
            self._pulse_for(turn.answer)
        if state_now(self._session) != self._shown_state:
            self.refresh()

    def _pulse_for(self, answer: Answer) -> None:
        """Have the draft's chip pulse if new rounds of an answer have accepted draft tokens."""
        followed, seen = self._followed
        first = seen if answer is followed else 0
        self._followed = answer, len(answer.rounds)
        if accepted := max((record.accepted for record in answer.rounds[first:]), default=0):
            self.draft.pulse(accepted)

    def show_load_progress(self) -> None:
        """Show how much of the model that is loading has been read."""
        if self._session.models.pair.loading:
            self._state = self._loading_sentence()
            self._show_share()
            self._fit()

    def _show_share(self) -> None:
        """Show in the chip of the model that is being loaded how much of it is."""
        pair = self._session.models.pair
        loading = pair.loading
        # A model that several machines load together is loaded to its end.
        can_cancel = bool(pair.wanted) and not self._session.cluster.hosts
        read, total = self._session.models.loading_progress
        for chip, which in ((self.main, "main"), (self.draft, "draft")):
            share = min(read / max(total, 1), 1.0) if loading == which else None
            chip.show_share(share, self._state if loading == which else "")
            chip.offer_cancel(loading == which and can_cancel)

    def _loading_sentence(self) -> str:
        models = self._session.models
        read, total = models.loading_progress
        self._short_words = [percent(read / total)] if read and total else []
        if models.converting:
            # It is done once for each file, and takes minutes.
            name = self._names[1 if models.pair.loading == "draft" else 0]
            seconds = self._time_left.note(read, total)
            if seconds is None:
                return self.tr("Converting {name}\u00a0· once").format(name=name)
            self._short_words.insert(0, capitalized(time_left(seconds)))
            words = self.tr("Converting {name}\u00a0· once, {left}")
            return words.format(name=name, left=time_left(seconds))
        if not read or not total:
            return self.tr("Loading…")
        return self.tr("Loading… {share}").format(share=percent(read / total))

    def show_downloads(self, running: int) -> None:
        """Show the number of running downloads, or no badge if there are none."""
        self._downloads_running = running
        self._show_marks()

    def _show_marks(self) -> None:
        """Show running downloads, the local API with its requests under way, and the machines that answer together."""
        running = self._downloads_running
        status = self._session.api.status
        hosts = self._session.cluster.hosts
        self.downloads.setVisible(running > 0)
        self.downloads.setText(QLocale().toString(running))
        set_name(self.downloads, self.tr("%Ln download(s) running", "", running))
        self.api.setVisible(status is not None)
        if status is not None:
            requests = len(status.under_way)
            self.api.setIcon(icon("link", "draft_text" if requests else "muted"))
            set_name(self.api, serving_sentence(requests, status.address))
        self.machines.setVisible(bool(hosts))
        if hosts:
            self.machines.setText(QLocale().toString(len(hosts)))
            set_name(self.machines, together_sentence(hosts))
        self._fit()

    def _word_api(self, with_name: bool) -> None:
        """Show the number of requests under way beside the mark of the local API and, where there is room, its name."""
        status = self._session.api.status
        requests = len(status.under_way) if status is not None else 0
        name = QCoreApplication.translate("Settings", PAGES["api"]) if with_name else ""
        number = QLocale().toString(requests) if requests else ""
        self.api.setText("\u00a0· ".join(filter(None, (name, number))))

    def _fit(self) -> None:
        """Distribute the width: elide names in a narrow window, show the state as text where it fits."""
        if not self.isVisible():
            return
        chips = (self.main, self.draft)
        is_wide = self.width() >= theme.scaled(_ANSWERS_NEED)
        self._show_switch(is_wide)
        self._word_api(is_wide)
        for chip, name in zip(chips, self._names, strict=True):
            chip.set_name(name)
            chip.set_narrow(False)
        most = theme.scaled(LONGEST_NAME)
        free = self._free() - sum(chip.width_without_name() for chip in chips)
        # Words beside the names go before these are hard to read.
        if free < min(2 * theme.scaled(_READABLE_NAME), sum(chip.name_width() for chip in chips)):
            for chip in chips:
                chip.set_narrow(True)
            free = self._free() - sum(chip.width_without_name() for chip in chips)
        for chip, other in zip(chips, reversed(chips), strict=True):
            # A name may use the space that the other one leaves of its half.
            chip.set_name_width(min(most, max(free // 2, free - other.name_width())))
        left = self._free() - sum(chip.sizeHint().width() for chip in chips)
        shown = self._status.fontMetrics().elidedText(self._state, Qt.TextElideMode.ElideRight, left)
        # A state that is said elsewhere too (`_says_state_elsewhere`) needs no words here.
        worth_it = left > theme.scaled(_SHORTEST_STATE) and not self._state_is_elsewhere
        if self._session.models.pair.loading and shown != self._state:
            # The chip names the model.
            width_of = self._status.fontMetrics().horizontalAdvance
            shown = next((words for words in self._short_words if width_of(words) <= left), "")
            worth_it = True
        self._status.setText(shown if worth_it else "")

    def _show_switch(self, is_wide: bool) -> None:
        """Show the switch between text and tokens in the form that fits, or none without an answer to show."""
        has_answers = bool(self._session.chat.turns)
        self._answers.setVisible(has_answers and is_wide)
        self._as_tokens.setVisible(has_answers and not is_wide)

    def _free(self) -> int:
        """Return the width that is left for the two chips and the state, in pixels."""
        marks = (self.downloads, self.machines, self.api)
        fixed = (self._left, *marks, self._answers, self._as_tokens, self._right)
        shown = [view for view in fixed if not view.isHidden()]
        gaps = 2 * _END_MARGIN + _SPACING * (len(shown) + 2)
        return self.width() - gaps - sum(view.sizeHint().width() for view in shown)

    def minimumSizeHint(self) -> QSize:
        """Names can always be shortened, so their present width is not needed."""
        return QSize(_LEAST_WIDTH, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()

    def _drafter_words(self, pair: Pair, on: bool) -> str:
        if self._shows_lookup:
            # "Draft" before a name would read as what to do.
            return ""
        # A loaded model that is not used is off. Where none is loaded, or others are loading, the name says so.
        off = pair.draft is not None and not on and not pair.loading
        if _has_head(pair):
            return self.tr("Draft head (off)") if off else self.tr("Draft head")
        return self.tr("Draft (off)") if off else self.tr("Draft")

    def _name_of(self, pair: Pair, which: str) -> str:
        info = pair.main if which == "main" else pair.draft
        loading = pair.loading == "main"
        wanted = pair.wanted if pair.loading == which else (pair.wanted_draft or "")
        if pair.loading == which or (loading and wanted):
            # Show the future name already, so that nothing moves when the model is loaded.
            path = Path(wanted)
            return self.display_name(name_of_snapshot(path) if path.is_absolute() else wanted, path)
        if loading and pair.wanted_draft is None:
            return self.tr("Loading…")
        if info is None or loading:
            method = self._session.settings.speculation.method
            with_main = loading or pair.main is not None
            without_drafter = names_without_drafter(method) if which == "draft" and with_main else ""
            return capitalized(without_drafter) or self.tr("none")
        return self.display_name(info.name, info.path)

    def display_name(self, name: str, path: Path) -> str:
        """Return a model's name without its owner, or its word if it comes with Tandem."""
        main, draft = map(str, self._session.models.starter_pair)
        return recorded_name({main: "starter/main", draft: "starter/draft"}.get(str(path), name))

    def apply_text_size(self) -> None:
        self._fit()

    def retranslate(self) -> None:
        for chip in (self.main, self.draft):
            set_name(chip.cancel, self.tr("Cancel loading"))
        self._as_tokens.setAccessibleName(self._actions["show-tokens"].whatsThis())
        self._as_tokens.setToolTip(self._actions["show-tokens"].toolTip())
        self.refresh()
        self._show_marks()


def _has_head(pair: Pair) -> bool:
    return pair.draft is not None and pair.draft.kind == "head"
