"""The question of a tool server in the card of its call: its words, a form or the address of a page, and the reply."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QTextOption
from PySide6.QtWidgets import QLabel, QWidget

from app.tools.questions import FieldValue, FormField, QuestionReply, ServerQuestion
from app.tools.tool import visible
from app.transcript.auto_height_browser import PlainTextBrowser
from app.widgets.buttons import button
from app.widgets.controls import Chooser, Switch, TickBox
from app.widgets.labels import WrappedLabel, label, show_words
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.search_field import TextField
from app.widgets.style_class import styled
from app.widgets.theme_aware import ThemeAware
from app.wording.errors import joined
from app.wording.tools import field_problem


class FieldEntry(QWidget):
    """One field of a form: its words, and the control in which it is entered."""

    def __init__(self, field: FormField, parent: QWidget) -> None:
        super().__init__(parent)
        self.field = field
        title = label(self, "", wraps=True)
        title.setText(visible(f"{field.title} *" if field.is_required else field.title))
        about = label(self, "muted", wraps=True)
        show_words(about, visible(field.about))
        column = fill(vbox(self, margins=(0, 0, 0, 0), spacing=2), title, about)
        self.controls = self._controls()
        for control in self.controls:
            if not isinstance(control, TickBox):
                control.setAccessibleName(visible(field.title))
                control.setAccessibleDescription(visible(field.about))
            at_side = Qt.AlignmentFlag.AlignLeft if isinstance(control, Switch) else Qt.AlignmentFlag(0)
            column.addWidget(control, 0, at_side)

    def _controls(self) -> list[TextField] | list[Switch] | list[Chooser] | list[TickBox]:
        """Return the control of the field with what it has at first; for several choices, one for each."""
        field = self.field
        if field.kind == "yes-no":
            switch = Switch(self)
            switch.setChecked(field.preset is True)
            return [switch]
        if field.kind == "choice":
            # The first one is no choice.
            values = "", *(value for value, _ in field.choices)
            chooser = Chooser(self, values)
            chooser.set_texts(("–", *(visible(words) for _, words in field.choices)))
            chooser.set_value(field.preset or "")
            return [chooser]
        if field.kind == "choices":
            boxes = [TickBox(visible(words), self) for _, words in field.choices]
            for box, (value, _) in zip(boxes, field.choices, strict=True):
                box.setChecked(isinstance(field.preset, list) and value in field.preset)
            return boxes
        text = TextField(self)
        text.setText("" if field.preset is None else str(field.preset))
        return [text]

    @property
    def entered(self) -> str | bool | list[str]:
        """What the person has entered, before it is checked."""
        first = self.controls[0]
        if isinstance(first, Switch):
            return first.isChecked()
        if isinstance(first, Chooser):
            return str(first.currentData())
        if isinstance(first, TextField):
            return first.text().strip()
        boxes = self.findChildren(TickBox)
        return [value for (value, _), box in zip(self.field.choices, boxes, strict=True) if box.isChecked()]


class QuestionForm(ThemeAware, QWidget):
    """Shows a question; `replied` gets what the person does with it. A page opens only when they press the button."""

    def __init__(self, question: ServerQuestion, replied: Callable[[QuestionReply], object], parent: QWidget) -> None:
        super().__init__(parent)
        self.question = question
        self._replied = replied
        self.heading = styled(WrappedLabel(self), "caption")
        self.message = PlainTextBrowser(self)
        self.message.show_text(visible(question.message))
        self.address = PlainTextBrowser(self)
        self.address.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
        # As a browser reads it: letters of other scripts that look like Latin ones stand as "xn--…".
        self._page = QUrl(question.url)
        self.address.show_text(bytes(self._page.toEncoded().data()).decode() if question.url else "")
        self.address.setVisible(bool(question.url))
        self.entries = [FieldEntry(field, self) for field in question.fields]
        self._note: QLabel = styled(WrappedLabel(self), "muted")
        self.problem = label(self, "reason-plain", wraps=True)
        show_words(self.problem, "")
        column = fill(vbox(self, margins=(0, 0, 0, 0), spacing=8), self.heading, self.message, self.address)
        fill(column, *self.entries, self._note, self.problem)
        buttons = QWidget(self)
        self.cancel = self.bound("Cancel", button(buttons, lambda: replied(QuestionReply("cancel"))))
        self.decline = self.bound("Decline", button(buttons, lambda: replied(QuestionReply("decline"))))
        self.accept = button(buttons, self._accept, "accent")
        # As on a Mac, what is asked for stands at the right end.
        fill(hbox(buttons, margins=(0, 0, 0, 0), spacing=8), 1, self.cancel, self.decline, self.accept)
        fill(column, buttons)
        self.bound("What the server asks", self.message, QWidget.setAccessibleName)
        self.bound("Address of the page", self.address, QWidget.setAccessibleName)
        self.restyle()

    def retranslate(self) -> None:
        server = visible(self.question.server)
        self.heading.setText(self.tr("“{server}” asks you:").format(server=server))
        if self.question.waits_for_page:
            self.heading.setText(self.tr("“{server}” waits until you have finished on the page:").format(server=server))
            self.accept.setText(self.tr("Continue"))
            note = self.tr("The words are the server's. Continue sends the call again.")
        elif self.question.url:
            self.accept.setText(self.tr("Open the page"))
            note = self._page_note()
        else:
            self.accept.setText(self.tr("Send"))
            note = self.tr("The words are the server's, and it gets what you enter. Enter no password.")
        self._note.setText(note)

    def _page_note(self) -> str:
        """Return words that name the host of the page, which can be hard to find in its address."""
        host = self._page.host(QUrl.ComponentFormattingOption.FullyEncoded)
        note = self.tr("The words are the server's. Open the page only if you know {host}.").format(host=host)
        has_other_scripts = any(part.startswith("xn--") for part in host.split("."))
        warning = self.tr("Its name contains letters that may look like others.") if has_other_scripts else ""
        return joined(note, warning)

    def _accept(self) -> None:
        """Open the page, or send what was entered if it fits the fields."""
        if self.question.url:
            opened = QDesktopServices.openUrl(self._page)
            self._replied(QuestionReply("accept" if opened else "cancel"))
            return
        content: dict[str, FieldValue] = {}
        for entry in self.entries:
            try:
                value = entry.field.value_of(entry.entered)
            except ValueError as error:
                show_words(self.problem, field_problem(entry.field, str(error)))
                entry.controls[0].setFocus()
                return
            if value is not None:
                content[entry.field.name] = value
        self._replied(QuestionReply("accept", content))
