"""The blocks of an answer as widgets: finished ones stay as they are, the open tail is rendered anew."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractScrollArea, QPlainTextEdit, QVBoxLayout, QWidget

from app.chat.code_block import CodeBlock
from app.chat.prose import Prose
from app.text.blocks import Block, Code, Splitter
from app.text.formulas import find_formulas

_View = TypeVar("_View", Prose, CodeBlock)

# Finished paragraphs are gathered in one widget up to this many characters, so that a selection can span them. All of
# it is rendered again with each that comes, and a formula takes as long as so many characters.
RUN_LENGTH = 6000
_FORMULA_LENGTH = 100
_PART_LENGTH = 24
_SPACING = 12


class AnswerBody(QWidget):
    """The blocks of an answer. Finished blocks are never touched again; only the open tail is rendered anew.

    `grows` carries by how many pixels it will be higher, before it is; `shown_anew` follows where marks have to be made
    again.
    """

    grows = Signal(int)
    link_chosen = Signal(str)
    shown_anew = Signal()
    passage_selected = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = _growing_column(self)
        self._parts: list[_Part] = []
        self._views: list[Prose | CodeBlock] = []
        # New blocks that have no room yet, and old ones that still have theirs.
        self._fresh: list[Prose | CodeBlock] = []
        self._gone: list[Prose | CodeBlock] = []
        self._clear()

    def _clear(self) -> None:
        for view in list(self._views):
            self._remove(view)
        self._splitter = Splitter()
        self._shown = ""
        self._placed = 0
        self._ended = False
        self._run: Prose | None = None
        self._run_length = 0
        self._tail: list[Prose | CodeBlock] = []

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
        self._exchange()

    def _exchange(self) -> None:
        """Show the new blocks and hide the old ones, after saying how much higher that makes the answer.

        At once: Qt would show them only after a picture without them.
        """
        heights = [view.height() if isinstance(view, Prose) else view.needed_height for view in self._fresh]
        pixels = sum(heights) - sum(view.height() for view in self._gone)
        pixels += _SPACING * (len(self._fresh) - len(self._gone))
        if pixels > 0:
            self.grows.emit(pixels)
        for view in self._gone:
            view.hide()
        for view in self._fresh:
            view.show()
            view.grows.connect(self.grows)
        self._fresh, self._gone = [], []

    def _place(self, block: Block) -> None:
        """Show a finished block, in the widget in which it was written where there is one."""
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
        """Take it out of the tail; where it is of another kind, all of the tail goes, to be shown behind what comes."""
        if self._tail and isinstance(self._tail[0], kind):
            return self._tail.pop(0)  # type: ignore[return-value]
        self._drop_tail(0)
        return None

    def _drop_tail(self, place: int) -> None:
        for view in self._tail[place:]:
            self._remove(view)
        del self._tail[place:]

    def _show_tail(self, blocks: list[Block]) -> None:
        """Until the first line of a block is whole it may turn out to be a part of the one before, so both are open."""
        groups = _grouped(blocks)
        for place, block in enumerate(groups):
            is_code = isinstance(block, Code)
            if place < len(self._tail) and isinstance(self._tail[place], CodeBlock) != is_code:
                self._drop_tail(place)
            if place == len(self._tail):
                self._tail.append(self._add(CodeBlock(self)) if is_code else self._new_prose())
            view = self._tail[place]
            if isinstance(view, CodeBlock) and isinstance(block, Code):
                view.show_code(block.text, block.language, block.closed)
            elif isinstance(view, Prose):
                view.show_markdown(block.text)
        self._drop_tail(len(groups))

    def _new_prose(self) -> Prose:
        view = self._add(Prose(self))
        view.link_chosen.connect(self.link_chosen)
        view.shown_anew.connect(self.shown_anew)
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

    @property
    def text_views(self) -> list[Prose | QPlainTextEdit]:
        """What holds the blocks' texts, top to bottom."""
        return [view if isinstance(view, Prose) else view.view for view in self._views]

    def _add(self, view: _View) -> _View:
        leave_menu_to_parent(view)
        # At its width from the start: in a narrow one it would be too high first, and the chat would jump.
        view.resize(self.width(), view.height())
        if not self._parts or self._parts[-1].full:
            self._parts.append(_Part(self))
            self._column.insertWidget(self._column.count() - 1, self._parts[-1])
        self._parts[-1].add(view)
        self._views.append(view)
        self._fresh.append(view)
        return view

    def _remove(self, view: Prose | CodeBlock) -> None:
        self._views.remove(view)
        if view in self._fresh:
            self._fresh.remove(view)
        else:
            self._gone.append(view)
        part = next(part for part in reversed(self._parts) if part.isAncestorOf(view))
        part.remove(view)
        view.deleteLater()
        if part.empty:
            self._parts.remove(part)
            self._column.removeWidget(part)
            part.hide()
            part.deleteLater()


def runs_of(text: str) -> list[Block]:
    """The blocks of a whole text as `AnswerBody` shows them: one a widget."""
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
    """How much of a run the block takes."""
    return len(block.text) + _FORMULA_LENGTH * len(find_formulas(block.text))


def _grouped(blocks: list[Block]) -> list[Block]:
    """Blocks in the widgets that show them: prose in a row is one."""
    groups: list[Block] = []
    for block in blocks:
        if groups and not isinstance(block, Code) and not isinstance(groups[-1], Code):
            groups[-1] = replace(block, text=groups[-1].text + block.text)
        else:
            groups.append(block)
    return groups


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
    column.setSpacing(_SPACING)
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
