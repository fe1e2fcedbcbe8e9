"""Runs the engine's calibration of the loaded pair and holds its result."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.session.session import Session
from engine.errors import EngineError
from engine.tuning import Calibration


class Tuner(QObject):
    """Emits `changed` when a calibration begins and ends."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.running = False
        self.pair: tuple[str, str] = ("", "")
        self.result: Calibration | None = None
        self.error: EngineError | None = None

    def start(self) -> None:
        """Calibrate, unless a calibration is running."""
        if self.running:
            return
        self.result, self.error, self.pair = None, None, self._session.models.pair.names
        self.running = self._session.models.call_engine(lambda engine: engine.calibrate(), self._take, self._fail)
        self.changed.emit()

    def cancel(self) -> None:
        """End it early and keep what was measured, as any other call to the engine does."""
        if self.running:
            self._session.models.call_engine(lambda engine: engine.configure(engine.settings), lambda _: None)

    def _take(self, result: Calibration) -> None:
        self.running, self.result = False, result
        self.changed.emit()

    def _fail(self, error: EngineError) -> None:
        self.running, self.error = False, error
        self.changed.emit()
