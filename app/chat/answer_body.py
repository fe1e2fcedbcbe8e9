"""The blocks of an answer as widgets: finished ones stay as they are, the open tail is rendered again."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractScrollArea, QPlainTextEdit, QVBoxLayout, QWidget

from app.chat.code_block import CodeBlock
from app.chat.prose import Prose
from app.text.blocks import Block, Code, Splitter
from app.text.formulas import find_formulas
from app.widgets.layouts import vbox

_View = TypeVar("_View", Prose, CodeBlock)

# Finished paragraphs share one widget up to this many characters, so that a selection can span them. The whole widget
# is rendered again with each paragraph that is added, and a formula takes as long as this many characters.
RUN_LENGTH = 6000
_FORMULA_LENGTH = 100
_PART_LENGTH = 24
_SPACING = 12


class AnswerBody(QWidget):
    """The blocks of an answer. Finished blocks never change again; only the open tail is rendered again.

    `grows` carries by how many pixels it will be higher, before it is; `rerendered` follows where search highlights
    have to be made again; `passage_selected` carries the selected text.
    """

    grows = Signal(int)
    link_chosen = Signal(str)
    rerendered = Signal()
    passage_selected = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = _growing_column(self)
        self._parts: list[_Part] = []
        self._views: list[Prose | CodeBlock] = []
        # New widgets that are not shown yet, and removed ones that are not hidden yet.
        self._added: list[Prose | CodeBlock] = []
        self._removed: list[Prose | CodeBlock] = []
        self._clear()

    def _clear(self) -> None:
        for view in list(self._views):
            self._remove(view)
        self._splitter = Splitter()
        self._shown = ""
        self._frozen_shown = 0
        self._ended = False
        self._run: Prose | None = None
        self._run_length = 0
        self._tail: list[Prose | CodeBlock] = []

    def show_text(self, text: str, ended: bool) -> None:
        """Show an answer's text so far; `ended` when no more will come.

        A continued answer goes on inside of its last block, which was finished, so all of it is rendered again.
        """
        if not text.startswith(self._shown) or (self._ended and text != self._shown):
            self._clear()
        self._splitter.feed(text[len(self._shown) :])
        self._shown = text
        if ended:
            self._splitter.finish()
            self._ended = True
        for block in self._splitter.frozen[self._frozen_shown :]:
            self._show_frozen(block)
        self._frozen_shown = len(self._splitter.frozen)
        self._show_tail(self._splitter.tail)
        self._swap()

    def _swap(self) -> None:
        """Show the new widgets and hide the removed ones, after emitting how much higher that makes the answer.

        At once: left to the event loop, Qt would first paint a frame without them.
        """
        heights = [view.height() if isinstance(view, Prose) else view.needed_height for view in self._added]
        pixels = sum(heights) - sum(view.height() for view in self._removed)
        pixels += _SPACING * (len(self._added) - len(self._removed))
        if pixels > 0:
            self.grows.emit(pixels)
        for view in self._removed:
            view.hide()
        for view in self._added:
            view.show()
            view.grows.connect(self.grows)
        self._added, self._removed = [], []

    def _show_frozen(self, block: Block) -> None:
        """Show a finished block, in the widget that showed it in the tail where there is one."""
        if isinstance(block, Code):
            view = self._first_of_tail(CodeBlock) or self._add(CodeBlock(self))
            view.show_code(block.text, block.language, block.closed)
            self._run = None
        elif self._run is None or self._run_length > RUN_LENGTH:
            self._run = self._first_of_tail(Prose) or self._new_prose()
            self._run.show_markdown(block.text)
            self._run_length = _length(block)
        else:
            self._run.show_markdown(f"{self._run.markdown.rstrip()}\n\n{block.text}")
            self._run_length += _length(block)

    def _first_of_tail(self, kind: type[_View]) -> _View | None:
        """Take the tail's first widget if it is of that kind; otherwise drop the tail, to be shown after the block."""
        if self._tail and isinstance(self._tail[0], kind):
            return self._tail.pop(0)  # type: ignore[return-value]
        self._drop_tail(0)
        return None

    def _drop_tail(self, first: int) -> None:
        for view in self._tail[first:]:
            self._remove(view)
        del self._tail[first:]

    def _show_tail(self, blocks: list[Block]) -> None:
        """Until the first line of a block is whole, it may still belong to the block before, so both are open."""
        groups = _grouped(blocks)
        for index, block in enumerate(groups):
            is_code = isinstance(block, Code)
            if index < len(self._tail) and isinstance(self._tail[index], CodeBlock) != is_code:
                self._drop_tail(index)
            if index == len(self._tail):
                self._tail.append(self._add(CodeBlock(self)) if is_code else self._new_prose())
            view = self._tail[index]
            if isinstance(view, CodeBlock) and isinstance(block, Code):
                view.show_code(block.text, block.language, block.closed)
            elif isinstance(view, Prose):
                view.show_markdown(block.text)
        self._drop_tail(len(groups))

    def _new_prose(self) -> Prose:
        view = self._add(Prose(self))
        view.link_chosen.connect(self.link_chosen)
        view.rerendered.connect(self.rerendered)
        view.selectionChanged.connect(lambda: self.passage_selected.emit(view.textCursor().selectedText()))
        return view

    def emit_selection(self) -> None:
        """Emit `passage_selected` again, if anything is selected."""
        for view in self._views:
            if isinstance(view, Prose) and view.textCursor().hasSelection():
                self.passage_selected.emit(view.textCursor().selectedText())

    @property
    def text_views(self) -> list[Prose | QPlainTextEdit]:
        """The text widgets of the blocks, top to bottom."""
        return [view if isinstance(view, Prose) else view.text_view for view in self._views]

    def _add(self, view: _View) -> _View:
        leave_menu_to_parent(view)
        # At its final width from the start: narrower, it would first be too high and the chat would jump.
        view.resize(self.width(), view.height())
        if not self._parts or self._parts[-1].full:
            self._parts.append(_Part(self))
            self._column.insertWidget(self._column.count() - 1, self._parts[-1])
        self._parts[-1].add(view)
        self._views.append(view)
        self._added.append(view)
        return view

    def _remove(self, view: Prose | CodeBlock) -> None:
        self._views.remove(view)
        if view in self._added:
            self._added.remove(view)
        else:
            self._removed.append(view)
        part = next(part for part in reversed(self._parts) if part.isAncestorOf(view))
        part.remove(view)
        view.deleteLater()
        if part.empty:
            self._parts.remove(part)
            self._column.removeWidget(part)
            part.hide()
            part.deleteLater()


def runs_of(text: str) -> list[Block]:
    """The blocks of a whole text, joined as `AnswerBody` shows them: one for each widget."""
    splitter = Splitter()
    splitter.feed(text)
    splitter.finish()
    runs: list[Block] = []
    length = 0
    for block in splitter.frozen:
        last = runs[-1] if runs else None
        if isinstance(block, Code) or last is None or isinstance(last, Code) or length > RUN_LENGTH:
            runs.append(block)
            length = 0
        else:
            runs[-1] = replace(last, text=f"{last.text.rstrip()}\n\n{block.text}")
        length += _length(block)
    return runs


def _length(block: Block) -> int:
    """How much of RUN_LENGTH the block takes."""
    return len(block.text) + _FORMULA_LENGTH * len(find_formulas(block.text))


def _grouped(blocks: list[Block]) -> list[Block]:
    """Join neighbouring blocks of prose, which share a widget."""
    groups: list[Block] = []
    for block in blocks:
        if groups and not isinstance(block, Code) and not isinstance(groups[-1], Code):
            groups[-1] = replace(block, text=groups[-1].text + block.text)
        else:
            groups.append(block)
    return groups


class _Part(QWidget):
    """Up to _PART_LENGTH blocks. Only the last part is laid out while the answer grows, so its length costs nothing."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._column = _growing_column(self)
        # Shown now, so that its height is known before the event loop runs.
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
    """The layout of a column that grows at its end while it is shown."""
    # What is there keeps its position when a line is added, and need not be painted again.
    widget.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
    column = vbox(widget, margins=(0, 0, 0, 0), spacing=_SPACING)
    # The widget grows before its blocks are placed: squeezed first, every block would move twice.
    column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetMinimumSize)
    column.addStretch(1)
    return column


def leave_menu_to_parent(view: QWidget) -> None:
    """Let the turn show its one context menu for `view` too."""
    view.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
    if isinstance(view, QAbstractScrollArea):
        view.viewport().setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
    for inner in view.findChildren(QAbstractScrollArea):
        leave_menu_to_parent(inner)
