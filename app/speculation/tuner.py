"""Has the loaded pair measured on this computer, and holds what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from app.session.session import Session
    from engine.errors import EngineError
    from engine.tuning import Calibration


class Tuner(QObject):
    """`changed` follows when a calibration begins and ends."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.running = False
        self.pair: tuple[str, str] = ("", "")
        self.found: Calibration | None = None
        self.error: EngineError | None = None

    def start(self) -> None:
        """Measure, unless that is going on already."""
        if self.running:
            return
        self.found, self.error, self.pair = None, None, self._session.models.pair.names
        self.running = self._session.models.call_engine(lambda engine: engine.calibrate(), self._take, self._fail)
        self.changed.emit()

    def cancel(self) -> None:
        """End it early; what was measured by then is kept. Whatever is asked of the engine does that."""
        if self.running:
            self._session.models.call_engine(lambda engine: engine.configure(engine.settings), lambda _: None)

    def _take(self, found: Calibration) -> None:
        self.running, self.found = False, found
        self.changed.emit()

    def _fail(self, error: EngineError) -> None:
        self.running, self.error = False, error
        self.changed.emit()
