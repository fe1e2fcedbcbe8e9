"""Runs: blocks of an answer that share one widget, which exists only while they are near the view."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from app.text.blocks import Block, Code, Fold, ProseText, Splitter
from app.text.pieces import weight
from app.text.plain_blocks import PlainSplitter
from app.text.shown import document_text, paragraphs_of
from app.text.utf16 import utf16_length
from app.transcript.code_block import CodeBlock
from app.transcript.fold_block import FoldBlock
from app.transcript.prose import Prose
from app.widgets.labels import WrappedLabel
from app.widgets.layouts import fill, vbox

# Finished paragraphs share one widget up to this cost, so that a selection can span them. Each added paragraph renders
# the whole widget again.
RUN_LENGTH = 6000
# A formula, a table cell and a mark of a list take as long to render as this many characters.
_FORMULA_COST = 100
_CELL_COST = 45
_MARK_COST = 45
# Lines of lists and headings.
_MARK = re.compile(r"^[ \t]*(?:[-+*]|\d+[.)]|#+)[ \t]", re.MULTILINE)
# Tables with fewer lines between columns than this share a widget with the text around them.
_LEAST_WIDE_COLUMNS = 6
# The cost of a code block's frame and header.
_CODE_COST = 1000
# Characters of an answer that are shown at most; copies and exports contain all of it.
LONGEST_ANSWER = 1_000_000
_PART_LENGTH = 24
SPACING = 12
# For estimated heights: the characters and the pixels of a line at the column's usual width.
_LINE_CHARACTERS = 95
_LINE_PIXELS = 22
# The pixels of the frame around code.
_CODE_FRAME_PIXELS = 60

View = Prose | CodeBlock | FoldBlock | WrappedLabel


@dataclass(frozen=True)
class LimitNotice:
    """A notice between the blocks of an answer: what follows is plain text, or is not shown.

    `cut`: the rest is not shown. `failed`: it is plain text because showing it as Markdown raised; otherwise because it
    is long.
    """

    cut: bool = False
    failed: bool = False


class AnswerRun:
    """The content of one widget, with that widget, or the empty one that keeps its height."""

    def __init__(self, block: Block | LimitNotice) -> None:
        self.block = block
        self.cost = 0 if isinstance(block, LimitNotice) else length_of(block)
        self.view: View | None = None
        self.holder: QWidget | None = None
        self.part: RunGroup | None = None
        # Where the content ends in the text of the answer's tokens, None until it was looked for.
        self.source_end: int | None = None

    def takes(self, block: Block) -> bool:
        """Add the next block if it goes into the same widget. Returns whether it does."""
        last = self.block
        if not isinstance(last, ProseText) or not isinstance(block, ProseText) or self.cost > RUN_LENGTH:
            return False
        if last.plain or block.plain or block.after or _is_wide_table(last) or _is_wide_table(block):
            return False
        self.block = replace(last, text=f"{last.text.rstrip()}\n\n{block.text}")
        self.cost += length_of(block)
        return True

    @property
    def widget(self) -> QWidget:
        """The widget in the layout."""
        widget = self.view or self.holder
        assert widget is not None
        return widget

    def has_selection_in(self, block: Block) -> bool:
        """Return whether a selection begins in the text of its first block."""
        cursor = self.text_view.textCursor() if self.text_view is not None else None
        if cursor is None or not cursor.hasSelection():
            return False
        return cursor.selectionStart() < utf16_length(document_text(paragraphs_of(block)))

    @property
    def text_view(self) -> Prose | QPlainTextEdit | None:
        """The widget with the text, if there is one now."""
        if isinstance(self.view, CodeBlock):
            return self.view.text_view
        return self.view if isinstance(self.view, Prose) else None


class RunGroup(QWidget):
    """Up to _PART_LENGTH runs. While the answer grows, only the last part is laid out, whatever the answer's length."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.runs: list[AnswerRun] = []
        self._column = growing_column(self)
        # Shown now, so that its height is known before the event loop runs.
        self.show()

    @property
    def full(self) -> bool:
        return len(self.runs) >= _PART_LENGTH

    def add(self, run: AnswerRun) -> None:
        """Add a run at the end, with the widget that it has."""
        run.part = self
        self.runs.append(run)
        self._column.insertWidget(self._column.count() - 1, run.widget)

    def exchange(self, run: AnswerRun, old: QWidget) -> None:
        """Replace the `old` widget of a run by its present one, and delete it."""
        self._column.replaceWidget(old, run.widget, Qt.FindChildOption.FindDirectChildrenOnly)
        old.hide()
        old.deleteLater()

    def remove(self, run: AnswerRun) -> None:
        self.runs.remove(run)
        self._column.removeWidget(run.widget)


def growing_column(widget: QWidget) -> QVBoxLayout:
    """Return the layout of a column that grows at its end while it is shown."""
    # An added line moves nothing above it, so Qt need not paint that again.
    widget.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
    column = fill(vbox(widget, margins=(0, 0, 0, 0), spacing=SPACING), 1)
    # The widget grows before its blocks are placed. Otherwise every block would be squeezed and move twice.
    column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetMinimumSize)
    return column


def runs_of(text: str, plain: bool = False) -> list[Block]:
    """Return the blocks of a whole text, joined like the widgets of `answer_body.AnswerBody`.

    `plain` if it shows plain text.
    """
    splitter = PlainSplitter() if plain else Splitter()
    splitter.feed(text[:LONGEST_ANSWER])
    splitter.finish()
    runs: list[AnswerRun] = []
    for block in splitter.frozen:
        if not runs or not runs[-1].takes(block):
            runs.append(AnswerRun(block))
    return [splitter.resolved(run.block) for run in runs if not isinstance(run.block, LimitNotice)]


def grouped(blocks: list[Block]) -> list[Block]:
    """Join neighbouring blocks of open prose, which share a widget. A wide table has its own."""
    groups: list[Block] = []
    for block in blocks:
        last = groups[-1] if groups else None
        if (
            isinstance(last, ProseText)
            and isinstance(block, ProseText)
            and not block.after
            and (last.plain, _is_wide_table(last)) == (block.plain, _is_wide_table(block))
        ):
            # As when they have ended: a line end alone would make one paragraph of two.
            above = last.text if last.plain else f"{last.text.rstrip()}\n"
            between = "\n" if above.endswith("\n") else "\n\n"
            groups[-1] = replace(last, text=above + between + block.text)
        else:
            groups.append(block)
    return groups


def _is_wide_table(block: ProseText) -> bool:
    """Whether a block is a table that may have to be scrolled, with the scroll bar right below it."""
    head = block.text.lstrip().partition("\n")[0]
    return not block.plain and head.startswith("|") and head.count("|") > _LEAST_WIDE_COLUMNS


def kind_of(block: Block) -> type[QWidget]:
    """Return the class of the widget that shows a block."""
    if isinstance(block, Code):
        return CodeBlock
    return FoldBlock if isinstance(block, Fold) else Prose


def length_of(block: Block) -> int:
    """Return how much of RUN_LENGTH the block takes."""
    if isinstance(block, Code):
        return _CODE_COST + cost_of(block.text) // 2
    if isinstance(block, Fold):
        return _CODE_COST
    formulas = 0 if block.plain else block.text.count("$") // 2 + block.text.count("\\(")
    cells = block.text.count("|") if "\n|" in block.text else 0
    marks = 0 if block.plain else len(_MARK.findall(block.text))
    return cost_of(block.text) + _FORMULA_COST * formulas + _CELL_COST * cells + _MARK_COST * marks


def cost_of(text: str) -> int:
    """Return the cost of laying out a text in Latin letters. Other letters and lines count as several."""
    if text.isascii():
        return weight(text)
    return weight(text) - len(text) + max(len(text), len(text.encode("utf-8", "surrogatepass")) * 2 // 3)


def estimated_height(block: Block | LimitNotice) -> int:
    """Return the height in pixels of a run until it is laid out for the first time."""
    if isinstance(block, LimitNotice | Fold):
        return _LINE_PIXELS
    lines = block.text.strip("\n").split("\n")
    if isinstance(block, Code):
        return _CODE_FRAME_PIXELS + 17 * len(lines)
    written = [line for line in lines if line.strip()]
    wrapped = sum(len(line) // _LINE_CHARACTERS for line in written)
    return _LINE_PIXELS * (len(written) + wrapped) + SPACING * (len(lines) - len(written))
