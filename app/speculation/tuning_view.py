"""The card of a calibration: its result in words and as a table of depths."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.speculation.measurement_card import MeasurementCard
from app.speculation.tuner import Tuner
from app.widgets.labels import label
from app.widgets.layouts import fill
from app.widgets.style_class import set_style_class
from app.wording import figures
from app.wording.errors import error_sentence
from app.wording.models import pair_name
from engine.speculation.proposers.registry import DRAFTER_METHOD, PROPOSERS, method_of
from engine.tuning import Calibration, ContextFigures, DepthFigures

_WIDTH = 620


class TuningView(MeasurementCard):
    """Shows the state of the tuner."""

    def __init__(self, tuner: Tuner, again: QAction, window: QWidget) -> None:
        super().__init__(tuner, again, window, _WIDTH)
        self._tuner = tuner

    def make(self) -> None:
        super().make()
        self.bound("Tune for this Mac", self.title)
        self.bound("Measure again", self.again)
        self.words = label(self, "reason-plain", wraps=True)
        self.cells: list[list[QLabel]] = []
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(24)
        self._grid.setVerticalSpacing(6)
        self._note = label(self, "muted", wraps=True)
        self.bound(
            "The time of a round compared with that of one token, the acceptance rate from which it is faster, and "
            "the expected tokens per second.",
            self._note,
        )
        fill(self.content, self.words, self._grid, self._note, 1)
        self.follow()

    def refresh(self) -> None:
        super().refresh()
        self.subtitle.setText(pair_name(*self._tuner.pair))
        found = self._tuner.result
        self._show_depths(found)
        text = "\n".join(self._sentences())
        self.words.setText(text)
        self.words.setAccessibleName(text)
        set_style_class(self.words, "reason" if found is not None and found.best_depth else "reason-plain")
        self._note.setVisible(bool(self.cells))
        if self.isVisible():
            self.fit_in_window()

    def _sentences(self) -> list[str]:
        tuner = self._tuner
        if tuner.running:
            return [self.tr("Measuring the cost of each draft length. This takes a few seconds.")]
        if tuner.error is not None:
            return [error_sentence(tuner.error)]
        found = tuner.result
        if found is None or found.figures is None:
            return [self.tr("Nothing could be measured.")]
        sentences = [
            self._best(found, found.figures),
            self.tr("Plain decoding: {speed} tokens/s.").format(speed=figures.number(found.figures.plain_tps)),
        ]
        if found.complete:
            sentences.append(self.tr("Saved for new answers. Took {time}.").format(time=figures.seconds(found.seconds)))
        else:
            sentences.append(self.tr("Stopped early. Unmeasured lengths keep their previous values."))
        return sentences

    def _best(self, found: Calibration, measured: ContextFigures) -> str:
        if found.best_depth:
            if found.acceptance_seen:
                text = self.tr("Best: %n draft token(s) per round, {times} as fast.", "", found.best_depth)
            else:
                text = self.tr(
                    "Best: %n draft token(s) per round, {times} as fast at a typical acceptance "
                    "rate. Your chats will refine this.",
                    "",
                    found.best_depth,
                )
            return text.format(times=figures.times(found.speedup))
        pays = [one.break_even for one in _shown(measured) if one.break_even is not None]
        if not pays:
            return self.tr("Plain decoding is fastest on this Mac, even if every draft token were accepted.")
        text = self.tr("Plain decoding is fastest on this Mac. Speculation helps above {rate} acceptance.")
        return text.format(rate=figures.percent(min(pays)))

    def _show_depths(self, found: Calibration | None) -> None:
        """Make the line of each depth again."""
        for cell in (cell for line in self.cells for cell in line):
            self._grid.removeWidget(cell)
            cell.hide()
            cell.deleteLater()
        self.cells = []
        measured = found.figures if found is not None else None
        if found is None or measured is None or not measured.depths:
            return
        heads = [
            self.tr("Draft tokens"),
            self.tr("Cost (× one token)"),
            self.tr("Acceptance needed"),
            self.tr("Expected"),
        ]
        self._add_line(heads, "caption")
        for one in _shown(measured):
            line = [
                figures.number(one.depth, 0),
                figures.number(one.round_s * measured.plain_tps),
                figures.percent(one.break_even),
                figures.number(one.expected_tps),
            ]
            self._add_line(line, "strong" if one.depth == found.best_depth else "muted")

    def _add_line(self, texts: list[str], style_class: str) -> None:
        line = [label(self, style_class) for _ in texts]
        for column, (cell, text) in enumerate(zip(line, texts, strict=True)):
            cell.setText(text)
            self._grid.addWidget(cell, len(self.cells), column, Qt.AlignmentFlag.AlignRight)
            # Show it before the event loop does, so that the card gets its height.
            cell.show()
        self.cells.append(line)


def _shown(measured: ContextFigures) -> list[DepthFigures]:
    """Return the depths of the draft model or head, or without one those of lookup."""
    drafts = [one for one in measured.depths if one.source in PROPOSERS and method_of(one.source) == DRAFTER_METHOD]
    return drafts or list(measured.depths)
