"""Runs: the blocks of an answer that share one widget, which they have only while they are near the view."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.chat.code_block import CodeBlock
from app.chat.prose import Prose
from app.text.blocks import Block, Code, Splitter
from app.text.blocks import Prose as ProseText
from app.text.formulas import find_formulas
from app.text.pieces import weight
from app.widgets.labels import WrappedLabel

# Finished paragraphs share one widget up to this cost, so that a selection can span them. The whole widget is rendered
# again with each paragraph that is added, and a formula takes as long as this many characters.
RUN_LENGTH = 6000
_FORMULA_LENGTH, _CELL_LENGTH, _MARK_LENGTH = 100, 45, 45
# Lines of lists and headings.
_MARK = re.compile(r"^[ \t]*(?:[-+*]|\d+[.)]|#+)[ \t]", re.MULTILINE)
# The height in pixels of a code block's frame and header.
_CODE_LENGTH = 1000
# Only so much of a longer answer is shown; copies and exports contain all of it.
LONGEST_SHOWN = 1_000_000
_PART_LENGTH = 24
SPACING = 12
# To estimate a height: characters and pixels of a line at the column's usual width, the space between paragraphs, and
# what surrounds the lines of code.
_LINE_CHARACTERS, _LINE_PIXELS, _CODE_FRAME_PIXELS = 95, 22, 60

View = Prose | CodeBlock | WrappedLabel


@dataclass(frozen=True)
class Notice:
    """A sentence of ours between the blocks: why those below are plain text, or that the rest is not shown."""

    cut: bool = False


class Run:
    """What one widget shows, and that widget or the empty one that keeps its height."""

    def __init__(self, block: Block | Notice) -> None:
        self.block = block
        self.cost = 0 if isinstance(block, Notice) else length_of(block)
        self.view: View | None = None
        self.holder: QWidget | None = None
        self.part: Part | None = None

    def joins(self, block: Block) -> bool:
        """Whether a block that follows goes into the same widget."""
        return _joins(self.block, self.cost, block)

    def join(self, block: ProseText) -> None:
        assert isinstance(self.block, ProseText)
        self.block = _joined(self.block, block)
        self.cost += length_of(block)

    @property
    def widget(self) -> QWidget:
        """What is in the layout for it."""
        widget = self.view or self.holder
        assert widget is not None
        return widget

    @property
    def may_unload(self) -> bool:
        """Nothing of it is selected."""
        if isinstance(self.view, CodeBlock):
            return not self.view.text_view.textCursor().hasSelection()
        return isinstance(self.view, Prose) and not self.view.textCursor().hasSelection()


class Part(QWidget):
    """Up to _PART_LENGTH runs. Only the last part is laid out while the answer grows, so its length costs nothing."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.runs: list[Run] = []
        self._column = growing_column(self)
        # Shown now, so that its height is known before the event loop runs.
        self.show()

    @property
    def full(self) -> bool:
        return len(self.runs) >= _PART_LENGTH

    def add(self, run: Run) -> None:
        """Add a run at the end, with the widget that it has."""
        run.part = self
        self.runs.append(run)
        self._column.insertWidget(self._column.count() - 1, run.widget)

    def exchange(self, run: Run, old: QWidget) -> None:
        """Put the widget that a run has now where its `old` one is."""
        index = self._column.indexOf(old)
        self._column.removeWidget(old)
        self._column.insertWidget(index, run.widget)

    def remove(self, run: Run) -> None:
        self.runs.remove(run)
        self._column.removeWidget(run.widget)


def growing_column(widget: QWidget) -> QVBoxLayout:
    """The layout of a column that grows at its end while it is shown."""
    # What is there keeps its position when a line is added, and need not be painted again.
    widget.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
    column = QVBoxLayout(widget)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(SPACING)
    # The widget grows before its blocks are placed: squeezed first, every block would move twice.
    column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetMinimumSize)
    column.addStretch(1)
    return column


def runs_of(text: str) -> list[Block]:
    """The blocks of a whole text, joined as `AnswerBody` shows them: one for each widget."""
    splitter = Splitter()
    splitter.feed(text[:LONGEST_SHOWN])
    splitter.finish()
    runs: list[Block] = []
    cost = 0
    for block in splitter.frozen:
        last = runs[-1] if runs else None
        if isinstance(last, ProseText) and isinstance(block, ProseText) and _joins(last, cost, block):
            runs[-1] = _joined(last, block)
            cost += length_of(block)
        else:
            runs.append(block)
            cost = length_of(block)
    return runs


def grouped(blocks: list[Block]) -> list[Block]:
    """Join neighbouring blocks of open prose, which share a widget."""
    groups: list[Block] = []
    for block in blocks:
        last = groups[-1] if groups else None
        if isinstance(last, ProseText) and isinstance(block, ProseText) and last.plain == block.plain:
            groups[-1] = replace(block, text=last.text + block.text)
        else:
            groups.append(block)
    return groups


def length_of(block: Block) -> int:
    """How much of RUN_LENGTH the block takes."""
    if isinstance(block, Code):
        return _CODE_LENGTH + cost_of(block.text) // 2
    formulas = 0 if block.plain else len(find_formulas(block.text))
    cells = block.text.count("|") if "\n|" in block.text else 0
    marks = 0 if block.plain else len(_MARK.findall(block.text))
    return cost_of(block.text) + _FORMULA_LENGTH * formulas + _CELL_LENGTH * cells + _MARK_LENGTH * marks


def cost_of(text: str) -> int:
    """The cost of laying out a text, in Latin letters; a letter of another script or a line counts as several."""
    if text.isascii():
        return weight(text)
    return weight(text) - len(text) + max(len(text), len(text.encode("utf-8", "surrogatepass")) * 2 // 3)


def estimated_height(block: Block | Notice) -> int:
    """The height in pixels of a run until it is laid out for the first time."""
    if isinstance(block, Notice):
        return _LINE_PIXELS
    lines = block.text.strip("\n").split("\n")
    if isinstance(block, Code):
        return _CODE_FRAME_PIXELS + 17 * len(lines)
    written = [line for line in lines if line.strip()]
    wrapped = sum(len(line) // _LINE_CHARACTERS for line in written)
    return _LINE_PIXELS * (len(written) + wrapped) + SPACING * (len(lines) - len(written))


def _joins(last: Block | Notice, cost: int, block: Block) -> bool:
    if not isinstance(last, ProseText) or not isinstance(block, ProseText):
        return False
    return not last.plain and not block.plain and cost <= RUN_LENGTH


def _joined(last: ProseText, block: ProseText) -> ProseText:
    return replace(last, text=f"{last.text.rstrip()}\n\n{block.text}")
