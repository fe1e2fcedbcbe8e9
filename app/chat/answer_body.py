"""The blocks of an answer as widgets: finished ones stay as they are, the open tail is rendered anew."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractScrollArea, QVBoxLayout, QWidget

from app.chat.blocks import Block, Code, Splitter
from app.chat.code_block import CodeBlock
from app.chat.prose import Prose

_View = TypeVar("_View", bound=QWidget)

# Finished paragraphs are gathered in one widget up to this many characters, so that a selection can span them.
RUN_LENGTH = 6000
_PART_LENGTH = 24


class AnswerBody(QWidget):
    """The blocks of an answer. Finished blocks are never touched again; only the open tail is rendered anew."""

    link_chosen = Signal(str)
    passage_selected = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = _growing_column(self)
        self._parts: list[_Part] = []
        self._views: list[QWidget] = []
        self._clear()

    def _clear(self) -> None:
        for view in list(self._views):
            self._remove(view)
        self._splitter = Splitter()
        self._shown = ""
        self._placed = 0
        self._ended = False
        self._run: Prose | None = None
        self._tail: Prose | CodeBlock | None = None

    def show_text(self, text: str, ended: bool) -> None:
        """Show an answer's text so far; `ended` when no more will come.

        An answer that is continued goes on in the middle of its last block, which was finished: it is shown anew.
        """
        if not text.startswith(self._shown) or (self._ended and text != self._shown):
            self._clear()
        self._splitter.feed(text[len(self._shown) :])
        self._shown = text
        if ended:
            self._splitter.finish()
            self._ended = True
        for block in self._splitter.frozen[self._placed :]:
            self._place(block)
        self._placed = len(self._splitter.frozen)
        self._show_tail(self._splitter.tail)

    def _place(self, block: Block) -> None:
        if isinstance(block, Code):
            view = self._tail if isinstance(self._tail, CodeBlock) else self._add(CodeBlock(self))
            view.show_code(block.text, block.language, block.closed)
            self._run, self._tail = None, None
            return
        if self._run is None or len(self._run.markdown) > RUN_LENGTH:
            self._run = self._tail if isinstance(self._tail, Prose) else self._new_prose()
            self._tail = None
            self._run.show_markdown(block.text)
        else:
            self._run.show_markdown(f"{self._run.markdown.rstrip()}\n\n{block.text}")

    def _show_tail(self, blocks: list[Block]) -> None:
        code = blocks[-1] if blocks and isinstance(blocks[-1], Code) else None
        wanted = CodeBlock if code else Prose
        if self._tail is not None and (not blocks or not isinstance(self._tail, wanted)):
            self._remove(self._tail)
            self._tail = None
        if not blocks:
            return
        if code:
            if self._tail is None:
                self._tail = self._add(CodeBlock(self))
            self._tail.show_code(code.text, code.language, code.closed)  # type: ignore[union-attr]
            return
        if self._tail is None:
            self._tail = self._new_prose()
        self._tail.show_markdown("".join(block.text for block in blocks))  # type: ignore[union-attr]

    def _new_prose(self) -> Prose:
        view = self._add(Prose(self))
        view.link_chosen.connect(self.link_chosen)
        view.selectionChanged.connect(lambda: self.passage_selected.emit(view.textCursor().selectedText()))
        return view

    def tell_selection(self) -> None:
        """Say again what is selected, if anything is."""
        for view in self._views:
            if isinstance(view, Prose) and view.textCursor().hasSelection():
                self.passage_selected.emit(view.textCursor().selectedText())

    @property
    def views(self) -> list[QWidget]:
        """The blocks' widgets, top to bottom."""
        return list(self._views)

    def _add(self, view: _View) -> _View:
        leave_menu_to_parent(view)
        # At its width from the start: in a narrow one it would be too high first, and the chat would jump.
        view.resize(self.width(), view.height())
        if not self._parts or self._parts[-1].full:
            self._parts.append(_Part(self))
            self._column.insertWidget(self._column.count() - 1, self._parts[-1])
        self._parts[-1].add(view)
        self._views.append(view)
        return view

    def _remove(self, view: QWidget) -> None:
        self._views.remove(view)
        part = next(part for part in reversed(self._parts) if part.isAncestorOf(view))
        part.remove(view)
        view.deleteLater()
        if part.empty:
            self._parts.remove(part)
            self._column.removeWidget(part)
            part.hide()
            part.deleteLater()


class _Part(QWidget):
    """Some blocks in a row. Only the last part of an answer is laid out as it grows, so its length costs nothing."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._column = _growing_column(self)
        # Shown at once, so that its height is known before the event loop comes to it.
        self.show()

    @property
    def empty(self) -> bool:
        return self._column.count() == 1

    @property
    def full(self) -> bool:
        return self._column.count() > _PART_LENGTH

    def add(self, view: QWidget) -> None:
        self._column.insertWidget(self._column.count() - 1, view)

    def remove(self, view: QWidget) -> None:
        self._column.removeWidget(view)


def _growing_column(widget: QWidget) -> QVBoxLayout:
    """The layout of a column that grows at its end while it is looked at."""
    # What is there stays where it is when a line is added, and need not be painted again.
    widget.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
    column = QVBoxLayout(widget)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(12)
    # Room for what has grown before anything is placed: squeezed in first, every block would move twice.
    column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetMinimumSize)
    column.addStretch(1)
    return column


def leave_menu_to_parent(view: QWidget) -> None:
    """The turn has one menu for all that is in it."""
    view.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
    if isinstance(view, QAbstractScrollArea):
        view.viewport().setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
    for inner in view.findChildren(QAbstractScrollArea):
        leave_menu_to_parent(inner)
