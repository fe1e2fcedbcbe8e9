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

# The maximum width of the offer, its usual height, and the space between greeting, examples and offer.
_OFFER_WIDTH, _OFFER_HEIGHT, _SPACE = 560, 148, 90
# In pixels: both margins of the column together, and the offer's own at each side, which align it with the composer.
_MARGINS, _OFFER_SIDE = 18, 15
# The top of the greeting, as a share of the height.
_TOP = 0.2


class Welcome(ThemeAware, QScrollArea):
    """The page of an empty chat. It scrolls if the window is too low for the offer.

    `asked` carries the clicked example question, `demonstration_wanted` one to compare.
    """

    asked = Signal(str)
    demonstration_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # For the reason in `AttachmentRow`.
        self.setViewport(QWidget())
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        body = named(QWidget(self), "pageBody")
        self._offer: QWidget | None = None
        self._may_come: Callable[[], bool] = lambda: False
        self._reserves = False
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
        column = self._column = vbox(body, spacing=8)
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
        self._offer, self._may_come = offer, may_come
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
        self._reserves = self._may_come()
        self._arranged_for = self.size()
        self._show_what_fits()

    def _show_what_fits(self) -> None:
        """Hide the questions where the window is too low for them and the offer, and place the greeting."""
        if self._offer is None:
            return
        width = self.viewport().width() - _MARGINS
        height = self.viewport().height()
        shown = [words for words in (self._hello, self._folder_words, self._privacy) if words.text()]
        heights = _SPACE + sum(words.heightForWidth(width) for words in shown)
        heights += self._demonstration.sizeHint().height() + 8
        examples = sum(button.sizeHint().height() + 8 for button in self._questions)
        offered = self._offer.heightForWidth(min(_OFFER_WIDTH, width - 2 * _OFFER_SIDE))
        if self._offer.isHidden():
            offered = 0
        self._offer.setMinimumHeight(max(offered, 0))
        if self._reserves:
            offered = scaled(_OFFER_HEIGHT)
        examples_fit = heights + examples + offered <= height
        for button in self._questions:
            button.setVisible(examples_fit)
        heights += examples if examples_fit else 0
        top = max(0, min(round(_TOP * height), height - heights - offered))
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
            self._folder, self._left_out = folder, left_out
            self._word_folder()

    def _word_folder(self) -> None:
        folder, words, start = self._folder, "", ""
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
