"""The field for the format of a chat's answers, in the chat's settings."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QWidget

from app.composer.prompt_field import FieldCard
from app.conversations.chat_settings import JSON, TEXT, by_schema, grammar_of, schema_of
from app.system.background import Background
from app.widgets.controls import Chooser
from app.widgets.labels import WrappedLabel, label
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.style_class import set_style_class, styled
from app.widgets.theme_aware import ThemeAware
from app.widgets.throttle import single_shot
from app.wording.errors import error_sentence
from engine.errors import EngineError, GrammarNotUsable

_FIELD_LINES = 8
# How long after a change a schema is checked.
_CHECK_AFTER_MS = 300
_EXAMPLE = """{
  "type": "object",
  "properties": {
    "name": {"type": "string"},
    "year": {"type": "integer"}
  },
  "required": ["name", "year"],
  "additionalProperties": false
}"""


class AnswerFormatField(ThemeAware, QWidget):
    """`edited` carries the format after every change by the user. A schema is checked in a process of its own."""

    edited = Signal(str)
    checked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = self.bound("Answer format", label(self, "title"))
        self.kind = Chooser(self, ("text", "json", "schema"), self._choose)
        self.bound("Answer format", self.kind, QWidget.setAccessibleName)
        self._card = FieldCard(self, _FIELD_LINES, QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.schema = self.bound("JSON Schema", self._card.edit, QWidget.setAccessibleName)
        self.verdict = styled(WrappedLabel(self), "muted")
        self._problem: EngineError | None = None
        self._known = False
        self._background = Background("grammar", parent=self)
        self._timer = single_shot(self, self._check, _CHECK_AFTER_MS)
        self.destroyed.connect(self._background.close)
        head = fill(hbox(spacing=8), (self._title, 1), self.kind)
        fill(vbox(self, margins=(0, 0, 0, 0), spacing=6), head, self._card, self.verdict)
        self._title.setBuddy(self.kind)
        self.schema.textChanged.connect(self._write)
        self.restyle()

    def show_format(self, answer_format: str) -> None:
        """Show the format of the chat."""
        schema = schema_of(answer_format)
        if schema is not None:
            kind = "schema"
        elif answer_format == JSON:
            kind = "json"
        else:
            kind = "text"
        self.kind.set_value(kind)
        if schema is not None and schema != self.schema.toPlainText():
            with QSignalBlocker(self.schema):
                self.schema.setPlainText(schema)
            self._check_soon()
        for view in (self._card, self.verdict):
            view.setVisible(schema is not None)

    def _choose(self, kind: str) -> None:
        if kind == "schema":
            self.edited.emit(by_schema(self.schema.toPlainText() or _EXAMPLE))
        else:
            self.edited.emit(JSON if kind == "json" else TEXT)

    def _write(self) -> None:
        self._check_soon()
        self.edited.emit(by_schema(self.schema.toPlainText()))

    def _check_soon(self) -> None:
        self._known = False
        self._timer.start()
        self._show_verdict()

    def _check(self) -> None:
        written = self.schema.toPlainText()
        done = partial(self._show_outcome, written)
        self._background.run(partial(_check, written), lambda _: done(None), done, owner=self)

    def _show_outcome(self, written: str, error: Exception | None) -> None:
        if written != self.schema.toPlainText():
            return
        self._known = True
        self._problem = error if isinstance(error, EngineError) else None
        self._show_verdict()
        self.checked.emit()

    def _show_verdict(self) -> None:
        if not self._known:
            self.verdict.setText(self.tr("Checking the schema…"))
        elif self._problem is not None:
            self.verdict.setText(error_sentence(self._problem))
        else:
            self.verdict.setText(self.tr("Every answer will be JSON that matches this schema."))
        set_style_class(self.verdict, "problem" if self._known and self._problem is not None else "muted")

    def retranslate(self) -> None:
        self.kind.set_texts((self.tr("Text"), self.tr("JSON"), self.tr("JSON Schema")))
        self._show_verdict()


def _check(schema: str) -> None:
    from engine.main_model.grammar_compiler import usable_grammar

    grammar = grammar_of(by_schema(schema))
    assert grammar is not None
    _, left_out = usable_grammar(grammar)
    if left_out:
        raise GrammarNotUsable("unchecked", ", ".join(left_out))
