"""The blocks of an answer as widgets.

No answer blocks the Qt thread: a long text is read in slices, one in each turn of the event loop, and only blocks near
the view have widgets, which `load_between` makes within a budget. The others have an estimated height.

Where an error prevents that, all of the answer is shown as plain text, and goes on as that.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractScrollArea, QPlainTextEdit, QWidget

from app.text.blocks import PART, Block, Code, Fold, ProseText, Splitter
from app.text.plain_blocks import PlainSplitter
from app.transcript.answer_runs import (
    LONGEST_ANSWER,
    SPACING,
    AnswerRun,
    LimitNotice,
    RunGroup,
    View,
    cost_of,
    estimated_height,
    grouped,
    growing_column,
    kind_of,
    length_of,
)
from app.transcript.code_block import CodeBlock
from app.transcript.document_writer import LIST_INDENT, QUOTE_INDENT
from app.transcript.fold_block import FoldBlock
from app.transcript.prose import Prose
from app.transcript.tints.tints import AnswerTints
from app.widgets.labels import WrappedLabel
from app.widgets.layouts import fill, vbox
from app.widgets.style_class import named, styled
from app.widgets.theme_aware import ThemeAware
from app.widgets.throttle import single_shot

log = logging.getLogger(__name__)

# What one turn of the event loop reads and makes at most, in the units of `cost_of`.
SLICE = 9_000


class AnswerBody(ThemeAware, QWidget):
    """The blocks of an answer. Finished blocks never change; only the open tail is rendered again.

    `grows` carries by how many pixels the height will grow, before it does. `rerendered` is emitted when search
    highlights must be made again, `passage_selected` carries the selected text, `round_pointed` the number of the round
    whose token is under the pointer or None, and `incomplete` is emitted when there are blocks without widgets, which
    `load_between` makes.
    """

    grows = Signal(int)
    link_chosen = Signal(str)
    rerendered = Signal()
    passage_selected = Signal(str)
    incomplete = Signal()
    round_pointed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = growing_column(self)
        self._parts: list[RunGroup] = []
        # New widgets that are not shown yet, and removed ones that are not hidden yet.
        self._added: list[View] = []
        self._removed: list[QWidget] = []
        self._runs: list[AnswerRun] = []
        self._tail: list[AnswerRun] = []
        # The tokens whose tints are painted, and where the text begins in theirs.
        self._tints: AnswerTints | None = None
        self._tints_at = 0
        self._slices = single_shot(self, self._read_slice)
        self._clear()
        self.restyle()

    def _clear(self) -> None:
        for run in [*self._runs, *self._tail]:
            self._remove(run)
        self._slices.stop()
        self._splitter: Splitter | PlainSplitter = Splitter()
        self._text = ""
        self._budget = SLICE
        self._read_to = 0
        self._frozen_shown = 0
        self._defined = 0
        self._ended = False
        self._finished = False
        self._in_slices = False
        self._loaded = True
        self._runs = []
        self._tail = []

    def show_text(self, text: str, ended: bool, budget: int = SLICE) -> None:
        """Show an answer's text so far; `ended` if no more will come.

        New blocks get widgets within the budget. A continued answer adds to its last block, which was finished, so all
        of it is rendered again.
        """
        if not text.startswith(self._text) or (self._ended and text != self._text):
            self._clear()
        self._text = text
        self._ended = ended
        self._budget = budget
        self._read_slice()

    @property
    def complete(self) -> bool:
        """Whether all of the text has been read into blocks."""
        return self._read_to >= self._end and (self._finished or not self._ended)

    @property
    def _end(self) -> int:
        return min(len(self._text), LONGEST_ANSWER)

    @contextmanager
    def _plain_if_it_raises(self) -> Iterator[None]:
        """Show all of the text as plain text if what is done meanwhile raises."""
        try:
            yield
        # Whatever a model wrote, and whatever is wrong with its view, the words are shown.
        except Exception:
            if isinstance(self._splitter, PlainSplitter):
                raise
            log.exception("an answer is shown as plain text")
            self._show_plainly()

    def _show_plainly(self) -> None:
        """Begin again with plain text. The widgets may be in any state."""
        text = self._text
        ended = self._ended
        budget = self._budget
        for part in self._parts:
            self._column.removeWidget(part)
            part.hide()
            part.deleteLater()
        self._parts = []
        self._runs = []
        self._tail = []
        self._added = []
        self._removed = []
        self._clear()
        self._splitter = PlainSplitter()
        self._text = text
        self._ended = ended
        self._budget = budget
        self._read_blocks()

    def _read_slice(self) -> None:
        with self._plain_if_it_raises():
            self._read_blocks()
            self._place_runs()

    def tint(self, tints: AnswerTints | None, at: int = 0) -> None:
        """Paint the tints of these tokens below the text, which begins at `at` in theirs; None for none."""
        if tints is not self._tints or at != self._tints_at:
            self._tints = tints
            self._tints_at = at
            for run in self.text_runs:
                run.source_end = None
            with self._plain_if_it_raises():
                self._place_runs()

    def repaint_tints(self) -> None:
        """Paint the texts again, because their tints have changed."""
        for view in self.findChildren(QAbstractScrollArea):
            view.viewport().update()

    def _place_runs(self) -> None:
        """Find the runs that have changed in the text of the tokens. Those above them are where they were."""
        if self._tints is None:
            return
        runs = [*self._runs, *self._tail]
        first = next((index for index, run in enumerate(runs) if run.source_end is None), len(runs))
        at = self._source_end_of(runs, first - 1)
        for run in runs[first:]:
            at = run.source_end = self._place(run, self._tints, at)

    def _source_end_of(self, runs: list[AnswerRun], index: int) -> int:
        """Return where a run ends in the text of the tokens; for -1, where the first one begins."""
        end = runs[index].source_end if index >= 0 else None
        return self._tints_at if end is None else end

    def _place_loaded(self, run: AnswerRun) -> None:
        """Find a run that has got its widget."""
        if self._tints is not None and run in self._runs:
            at = self._source_end_of(self._runs, self._runs.index(run) - 1)
            run.source_end = self._place(run, self._tints, at)

    def _place(self, run: AnswerRun, tints: AnswerTints, at: int) -> int:
        """Find a run in the text of the tokens from `at` on. Return where it ends there."""
        if isinstance(run.view, Prose | CodeBlock):
            return run.view.tint(tints, at)
        if isinstance(run.block, LimitNotice):
            return at
        # The text inside a fold begins below its summary.
        lines = [line for line in run.block.text.split("\n") if line.strip()]
        begin = tints.text.find(lines[0], at) if lines else -1
        if isinstance(run.view, FoldBlock) and (inner := run.view.frame.findChild(AnswerBody)) is not None:
            summary = tints.text.find("</summary>", max(at, begin))
            inner.tint(tints, max(at, begin, summary))
        end = tints.text.find(lines[-1], max(at, begin)) if lines else -1
        return end + len(lines[-1]) if end >= 0 else at

    def _read_blocks(self) -> None:
        """Read the next slice of the text. If it is the last one, its first blocks get widgets at once."""
        budget = SLICE
        while budget > 0 and self._read_to < self._end:
            part = self._text[self._read_to : min(self._read_to + PART, self._end)]
            self._splitter.feed(part)
            self._read_to += len(part)
            budget -= cost_of(part)
        waits = self._read_to < self._end
        finishes = self._ended and not waits and not self._finished
        if finishes:
            self._splitter.finish()
            self._finished = True
        self._show_frozen(0 if waits else self._budget)
        self._show_tail([] if waits else self._splitter.tail)
        if finishes and self._end < len(self._text):
            self._add(AnswerRun(LimitNotice(cut=True)), self._runs)
        self._swap()
        if waits:
            self._in_slices = True
            self._slices.start()
            return
        if not self._loaded:
            self.incomplete.emit()
        if self._in_slices:
            # A search may have begun while blocks were still missing.
            self._in_slices = False
            self.rerendered.emit()

    def _swap(self) -> None:
        """Emit how much higher the answer becomes, then show the new widgets and hide the removed ones.

        This happens at once because Qt would otherwise paint a frame without them.
        """
        heights = [view.needed_height if isinstance(view, CodeBlock) else view.height() for view in self._added]
        pixels = sum(heights) - sum(view.height() for view in self._removed)
        pixels += SPACING * (len(self._added) - len(self._removed))
        if pixels > 0:
            self.grows.emit(pixels)
        for removed in self._removed:
            removed.hide()
        for view in self._added:
            self._reveal(view)
        self._added = []
        self._removed = []

    def _reveal(self, view: View) -> None:
        view.show()
        if not isinstance(view, WrappedLabel):
            view.grows.connect(self.grows)

    def _show_frozen(self, budget: int) -> None:
        """Put finished blocks into runs and render each changed run once.

        New runs get widgets within the budget. A widget that showed a block in the tail keeps showing it.
        """
        changed: dict[AnswerRun, None] = {}
        for block in self._splitter.frozen[self._frozen_shown :]:
            last = self._runs[-1] if self._runs else None
            loaded = budget > 0
            budget -= length_of(block)
            # A passage that is selected stays so: its paragraph keeps the widget.
            if last is not None and not (self._tail and self._tail[0].has_selection_in(block)) and last.takes(block):
                changed[last] = None
                continue
            is_plain = isinstance(block, ProseText) and block.plain
            was_plain = last is not None and isinstance(last.block, ProseText) and last.block.plain
            if is_plain and not was_plain:
                self._drop_tail(0)
                notice = LimitNotice(failed=isinstance(self._splitter, PlainSplitter))
                self._add(AnswerRun(notice), self._runs, loaded)
            run = AnswerRun(block)
            taken = self._first_of_tail(block)
            self._loaded = self._loaded and (loaded or taken is not None)
            if taken is not None:
                taken.block = run.block
                taken.cost = run.cost
                self._runs.append(taken)
                run = taken
            else:
                self._add(run, self._runs, loaded)
            changed[run] = None
        self._frozen_shown = len(self._splitter.frozen)
        if self._defined != len(self._splitter.definitions):
            self._defined = len(self._splitter.definitions)
            changed |= dict.fromkeys(self._runs)
        for run in changed:
            run.block = run.block if isinstance(run.block, LimitNotice) else self._splitter.resolved(run.block)
            self._render(run)

    def _first_of_tail(self, block: Block) -> AnswerRun | None:
        """Take the tail's first run if it is of that kind. Otherwise drop the tail, which is shown again later."""
        if self._tail and isinstance(self._tail[0].view, kind_of(block)):
            return self._tail.pop(0)
        self._drop_tail(0)
        return None

    def _drop_tail(self, first: int) -> None:
        for run in self._tail[first:]:
            self._remove(run)
        del self._tail[first:]

    def _show_tail(self, blocks: list[Block]) -> None:
        """Show the open blocks: two while the first line of the last one may still belong to the one before."""
        groups = grouped(blocks)
        for index, block in enumerate(groups):
            block = self._splitter.resolved(block)
            if index < len(self._tail) and not isinstance(self._tail[index].view, kind_of(block)):
                self._drop_tail(index)
            if index == len(self._tail):
                self._add(AnswerRun(block), self._tail, True)
            view = self._tail[index].view
            if isinstance(view, Prose) and isinstance(block, ProseText) and view.can_wait(block.text):
                continue
            self._tail[index].block = block
            self._render(self._tail[index])
        self._drop_tail(len(groups))

    def _render(self, run: AnswerRun) -> None:
        """Make a run's widget, if it has one, show the run's block."""
        run.source_end = None
        view = run.view
        block = run.block
        if isinstance(view, CodeBlock) and isinstance(block, Code):
            view.indent(block.lists * LIST_INDENT + block.quotes * QUOTE_INDENT)
            view.show_code(block.text, block.language, block.closed)
        elif isinstance(view, Prose) and isinstance(block, ProseText):
            view.show_markdown(block.text, block.plain, block.after, block.definitions, block.number)
        elif isinstance(view, FoldBlock) and isinstance(block, Fold):
            view.indent(block.lists * LIST_INDENT + block.quotes * QUOTE_INDENT)
            view.show_fold(block.text, block.closed)
        elif view is None and run.holder is not None:
            run.holder.setFixedHeight(estimated_height(block))

    def load_between(self, top: int, bottom: int, budget: int) -> int:
        """Make the widgets between two heights of this widget, and drop those far away. Returns the rest of the budget.

        If nothing is left of the budget, call it again in the next turn of the event loop.
        """
        with self._plain_if_it_raises():
            return self._load_runs(top, bottom, budget)
        return budget

    def _load_runs(self, top: int, bottom: int, budget: int) -> int:
        far = 2 * (bottom - top)
        for part in self._parts:
            first = part.y()
            last = part.y() + part.height()
            if last < top - far or first > bottom + far:
                for run in part.runs:
                    self._unload(run)
            elif last >= top and first <= bottom:
                for run in part.runs:
                    y = first + run.widget.y()
                    height = run.widget.height()
                    if run.view is None and budget > 0 and y + height >= top and y <= bottom:
                        budget -= run.cost
                        self._load(run)
        return budget

    def anchor_at(self, y: int) -> QWidget | None:
        """Return the first block with a widget that reaches below a height, else the part of the column that does."""
        part = next((part for part in self._parts if part.y() + part.height() > y), None)
        if part is None:
            return None
        made = (run.widget for run in part.runs if run.view is not None)
        return next((view for view in made if part.y() + view.y() + view.height() > y), part)

    def load(self, run: AnswerRun) -> None:
        """Make the widget of a run, if it has none."""
        with self._plain_if_it_raises():
            self._load(run)

    def _load(self, run: AnswerRun) -> None:
        holder = run.holder
        part = run.part
        if run.view is not None or holder is None or part is None:
            return
        run.view = self._make_view(run)
        run.holder = None
        self._render(run)
        self._place_loaded(run)
        part.exchange(run, holder)
        self._reveal(run.view)

    def _unload(self, run: AnswerRun) -> None:
        """Drop the widget of a run with text, unless it is at the end, or has a selection or a preview."""
        view = run.view
        text = run.text_view
        part = run.part
        if view is None or text is None or part is None or run in self._tail or run is self._runs[-1]:
            return
        if text.textCursor().hasSelection() or (isinstance(view, CodeBlock) and view.previewed):
            return
        run.view = None
        run.holder = _holder(part, view.height())
        part.exchange(run, view)

    def _make_view(self, run: AnswerRun) -> View:
        if isinstance(run.block, LimitNotice):
            view: View = named(styled(WrappedLabel(self), "muted"), "notice")
            if run.block.cut:
                self.bound(
                    "Only the beginning of this very long text is shown. Copies and exports contain all of it.", view
                )
            elif run.block.failed:
                self.bound("Shown without formatting, because an error occurred.", view)
            else:
                self.bound("Shown without formatting, because this passage is very long.", view)
        elif isinstance(run.block, Code):
            view = CodeBlock(self)
        elif isinstance(run.block, Fold):
            view = self._new_fold()
        else:
            view = self._new_prose()
        if isinstance(view, Prose):
            view.layer.round_pointed.connect(self.round_pointed)
        elif isinstance(view, CodeBlock):
            view.text_view.layer.round_pointed.connect(self.round_pointed)
        leave_menu_to_parent(view)
        # A narrower widget would first be too high, and the chat would jump.
        view.resize(self.width(), view.height())
        return view

    def _new_fold(self) -> FoldBlock:
        fold = FoldBlock(self)
        body = AnswerBody(fold.frame)
        fill(vbox(fold.frame, margins=(16, 4, 0, 4)), body)
        fold.text_shown.connect(body.show_text)
        body.grows.connect(fold.grows)
        body.link_chosen.connect(self.link_chosen)
        body.passage_selected.connect(self.passage_selected)
        body.round_pointed.connect(self.round_pointed)
        body.incomplete.connect(lambda: body.load_between(0, body.height(), SLICE))
        return fold

    def _new_prose(self) -> Prose:
        view = Prose(self)
        view.link_chosen.connect(self.link_chosen)
        view.rerendered.connect(self.rerendered)
        view.selectionChanged.connect(lambda: self.passage_selected.emit(view.textCursor().selectedText()))
        return view

    def emit_selection(self) -> None:
        """Emit `passage_selected` again, if anything is selected."""
        for view in self.text_views:
            if isinstance(view, Prose) and view.textCursor().hasSelection():
                self.passage_selected.emit(view.textCursor().selectedText())

    @property
    def text_runs(self) -> list[AnswerRun]:
        """The runs with text, top to bottom, with widgets or without."""
        return [run for run in [*self._runs, *self._tail] if not isinstance(run.block, LimitNotice)]

    @property
    def text_views(self) -> list[Prose | QPlainTextEdit]:
        """The text widgets of the blocks that have one, top to bottom."""
        return [view for run in self.text_runs if (view := run.text_view) is not None]

    def _add(self, run: AnswerRun, runs: list[AnswerRun], loaded: bool = True) -> None:
        """Add a run at the end, with a widget if `loaded`."""
        if not self._parts or self._parts[-1].full:
            self._parts.append(RunGroup(self))
            self._column.insertWidget(self._column.count() - 1, self._parts[-1])
        if loaded:
            run.view = self._make_view(run)
            self._added.append(run.view)
        else:
            run.holder = _holder(self._parts[-1], estimated_height(run.block))
        self._parts[-1].add(run)
        runs.append(run)

    def _remove(self, run: AnswerRun) -> None:
        widget = run.widget
        part = run.part
        assert part is not None
        if run.view is not None and run.view in self._added:
            self._added.remove(run.view)
        else:
            self._removed.append(widget)
        part.remove(run)
        widget.deleteLater()
        if not part.runs:
            self._parts.remove(part)
            self._column.removeWidget(part)
            part.hide()
            part.deleteLater()


def _holder(part: RunGroup, height: int) -> QWidget:
    """Return an empty widget that keeps the height of a run without a widget."""
    holder = QWidget(part)
    holder.setFixedHeight(height)
    holder.show()
    return holder


def leave_menu_to_parent(view: QWidget) -> None:
    """Make the turn show its context menu for `view`."""
    view.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
    if isinstance(view, QAbstractScrollArea):
        view.viewport().setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
    for inner in view.findChildren(QAbstractScrollArea):
        leave_menu_to_parent(inner)
