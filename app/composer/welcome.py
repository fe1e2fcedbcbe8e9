"""The page of an empty chat: a greeting, a note on privacy, a demonstration and example questions."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QLocale, QObject, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QPushButton, QScrollArea, QSizePolicy, QSpacerItem, QWidget

from app.conversations.database.records import Folder
from app.conversations.projects import source_name
from app.widgets.labels import label, show_words
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.style_class import named, styled
from app.widgets.theme import scaled
from app.widgets.theme_aware import ThemeAware
from app.wording.errors import joined

# All lengths are in pixels. The maximum width of the offer.
_OFFER_WIDTH = 560
# The room that is reserved for an offer that may come, at the normal text size.
_RESERVED_HEIGHT = 148
# Between two widgets of the column.
_SPACING = 8
# What the column's margins, the spaces around the texts and the offer's top margin take together.
_OTHER_SPACE = 90
# The left and the right margin of the column together.
_MARGINS = 18
# The offer's own margin at each side, which aligns it with the composer.
_OFFER_SIDE = 15
# The top of the greeting, as a share of the height.
_TOP_SHARE = 0.2


class Welcome(ThemeAware, QScrollArea):
    """The page of an empty chat. It scrolls if the window is too low for the offer.

    `asked` carries the clicked example question, `demonstration_wanted` one to compare.
    """

    asked = Signal(str)
    demonstration_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # For the reason in `attachment_row.AttachmentRow`.
        self.setViewport(QWidget())
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        body = named(QWidget(self), "pageBody")
        self._offer: QWidget | None = None
        # Whether an offer may come, which is asked whenever the greeting may move.
        self._may_come: Callable[[], bool] = lambda: False
        self._has_reserved_room = False
        self._arranged_for = QSize()
        self._hello = self.bound("What can I help with?", label(body, "hello", wraps=True))
        self._folder_words = label(body, "muted", wraps=True)
        self._privacy = label(body, "muted", wraps=True)
        self._folder: Folder | None = None
        self._left_out = ""
        for words in (self._hello, self._folder_words, self._privacy):
            words.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        # Whether the model was taught what Tandem is, as only the Starter was.
        self._knows_tandem = True
        self._questions = tuple(styled(QPushButton(body), "button") for _ in range(2))
        self._demonstration = self.bound("Show me a fast answer", styled(QPushButton(body), "accent"))
        self._examples = (self._demonstration, *self._questions)
        column = self._column = vbox(body, spacing=_SPACING)
        # The offer does not change its height, so that nothing moves up when the offer appears.
        self._top = QSpacerItem(0, 0, QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        column.addItem(self._top)
        fill(column, self._hello, self._folder_words, self._privacy).addSpacing(16)
        for button in self._examples:
            if button is not self._demonstration:
                button.clicked.connect(lambda _=False, source=button: self.asked.emit(source.text()))
            column.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)
        self._demonstration.clicked.connect(lambda: self.demonstration_wanted.emit(self._long_question()))
        self.setWidget(body)
        self.restyle()

    def set_offer(self, offer: QWidget, may_come: Callable[[], bool]) -> None:
        """Add an offer below the examples, which shows and hides itself. `may_come` tells whether to reserve room."""
        offer.setMaximumWidth(_OFFER_WIDTH)
        self._offer = offer
        self._may_come = may_come
        offer.installEventFilter(self)
        row = fill(hbox(margins=(_OFFER_SIDE, 16, _OFFER_SIDE, 0)), 1, (offer, 1000), 1)
        self._column.insertLayout(self._column.count() - 1, row)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._offer and event.type() in (QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.LayoutRequest):
            self._show_what_fits()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # The event is the viewport's, which an appearing scroll bar resizes too.
        if self.size() == self._arranged_for:
            self._show_what_fits()
        else:
            self._begin_anew()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._begin_anew()

    def _begin_anew(self) -> None:
        # Only now may the greeting move. An offer that appears later uses the reserved room.
        self._has_reserved_room = self._may_come()
        self._arranged_for = self.size()
        self._show_what_fits()

    def _show_what_fits(self) -> None:
        """Place the greeting a fifth down, and hide the example questions if they and the offer do not both fit.

        Does nothing before there is an offer.
        """
        if self._offer is None:
            return
        width = self.viewport().width() - _MARGINS
        height = self.viewport().height()
        texts = [words for words in (self._hello, self._folder_words, self._privacy) if words.text()]
        used = _OTHER_SPACE + sum(words.heightForWidth(width) for words in texts)
        used += self._demonstration.sizeHint().height() + _SPACING
        questions_height = sum(button.sizeHint().height() + _SPACING for button in self._questions)
        own_height = 0
        if not self._offer.isHidden():
            # -1 if the height of the offer does not depend on its width.
            own_height = self._offer.heightForWidth(min(_OFFER_WIDTH, width - 2 * _OFFER_SIDE))
        self._offer.setMinimumHeight(max(own_height, 0))
        offer_room = scaled(_RESERVED_HEIGHT) if self._has_reserved_room else own_height
        questions_fit = used + questions_height + offer_room <= height
        for button in self._questions:
            button.setVisible(questions_fit)
        if questions_fit:
            used += questions_height
        top = max(0, min(round(_TOP_SHARE * height), height - used - offer_room))
        if top != self._top.sizeHint().height():
            self._top.changeSize(0, top, QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
            self._column.invalidate()

    def retranslate(self) -> None:
        if self._knows_tandem:
            questions = self.tr("What is Tandem?"), self.tr("How does speculative decoding work?")
        else:
            questions = (
                self.tr("Why is the sky blue?"),
                self.tr("Make a table of the planets with their size and distance."),
            )
        for button, question in zip(self._questions, questions, strict=True):
            button.setText(question)
        self._word_folder()

    def _long_question(self) -> str:
        """Return a question with a long answer: the Starter's, in the very words that it was taught, or a list."""
        if self._knows_tandem:
            return self.tr("Explain step by step how speculative decoding works in Tandem.")
        return self.tr("Write the numbers from one to fifty in words, one on each line.")

    def show_questions(self, knows_tandem: bool) -> None:
        """Ask what the model can know: about Tandem only if it `knows_tandem`."""
        self._knows_tandem = knows_tandem
        self.retranslate()

    def show_folder(self, folder: Folder | None, left_out: str) -> None:
        """Say which folder the new chat is in, and with what of it the chat begins; None for a chat in no folder.

        `left_out` is the sentence about what the model cannot read of it, or "".
        """
        if (folder, left_out) != (self._folder, self._left_out):
            self._folder = folder
            self._left_out = left_out
            self._word_folder()

    def _word_folder(self) -> None:
        folder = self._folder
        words = ""
        start = ""
        if folder is not None:
            files = QLocale().createSeparatedList([source_name(source) for source in folder.sources])
            if files and folder.instructions.strip():
                start = self.tr("It begins with the folder's system prompt and these files: {files}")
            elif files:
                start = self.tr("It begins with these files: {files}")
            elif folder.instructions.strip():
                start = self.tr("It begins with the folder's system prompt.")
            words = joined(
                self.tr("This chat is in the folder “{name}”.").format(name=folder.name), start.format(files=files)
            )
            words = "\n".join(filter(None, (words, self._left_out)))
        show_words(self._folder_words, words)
        self._show_what_fits()

    def show_privacy(self, words: str) -> None:
        """Show what leaves this computer."""
        self._privacy.setText(words)
        self._show_what_fits()

    def set_ready(self, ready: bool) -> None:
        for button in self._examples:
            button.setEnabled(ready)
